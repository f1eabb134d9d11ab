// As much of a browser as signing in needs: it keeps cookies by site and path, and follows redirects step by step.

interface Kept {
  site: string;
  name: string;
  value: string;
  path: string;
  attributes: string;
}

export class Browser {
  cookies: Kept[] = [];
  readonly #hosts: Record<string, string>;

  /** `hosts`: where a site really is, as in /etc/hosts. */
  constructor(hosts: Record<string, string>) {
    this.#hosts = hosts;
  }

  /** One step: redirects are not followed. */
  async get(address: string, headers: Record<string, string> = {}): Promise<Response> {
    const { origin, pathname } = new URL(address);
    const sent = this.cookies.filter(({ site, path }) => site === origin && covers(path, pathname));
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join("; ");
    const response = await fetch(address.replace(origin, this.#hosts[origin] ?? origin), {
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), ...headers },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(origin, line);
    return response;
  }

  cookie(name: string): Kept | undefined {
    return this.cookies.find((each) => each.name === name);
  }

  #keep(site: string, line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = "", value = ""] = pair.split("=");
    const path = attributes.find((each) => each.startsWith("Path="))?.slice("Path=".length) ?? "/";
    this.cookies = this.cookies.filter((each) => each.site !== site || each.name !== name || each.path !== path);
    if (!attributes.includes("Max-Age=0"))
      this.cookies.push({ site, name, value, path, attributes: attributes.join("; ") });
  }
}

function covers(path: string, pathname: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}
