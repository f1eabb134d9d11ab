/** Where the server is and who calls, from what was passed, from the environment, or from the page it is in. */
export function serverUrl(given: string | undefined): string {
  const url = (given ?? environment("PUNCTUAL_URL") ?? ownOrigin() ?? "").trim();
  if (url === "")
    throw new TypeError(
      "there is no server to call: pass url, or set PUNCTUAL_URL, to something like http://127.0.0.1:7420",
    );
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new TypeError(`"${url}" is no address of a server; write it as http://127.0.0.1:7420`);
  if (parsed.username !== "" || parsed.password !== "")
    throw new TypeError("the server's address has a user name or password in it; pass the API key as key");
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}

/** Null without one: some of what a server answers is open. A line end, as files have them, is no part of a key. */
export function apiKey(given: string | undefined): string | null {
  const key = (given ?? environment("PUNCTUAL_API_KEY") ?? "").trim();
  // Not repeated: it may be nearly a key.
  if (!/^[\x21-\x7e]*$/.test(key)) throw new TypeError("the API key has characters in it that no key has");
  return key === "" ? null : key;
}

function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env?.[name];
}

/** Where a browser's page is from; a file is from nowhere. */
function ownOrigin(): string | undefined {
  const { location } = globalThis as { location?: { origin: string } };
  return location?.origin.startsWith("http") ? location.origin : undefined;
}
