/** fetch as a page of the server's own has it: cookies are kept, and sent where the call lets them. */
export function browserFetch(inner: typeof fetch = fetch): typeof fetch {
  let cookie = "";
  return async (input, init) => {
    const allowed = init?.credentials === "same-origin";
    const headers = { ...(init?.headers as Record<string, string>), ...(allowed && cookie !== "" ? { cookie } : {}) };
    const response = await inner(input, { ...init, headers });
    const [set] = response.headers.getSetCookie();
    if (allowed && set !== undefined) cookie = /Max-Age=0/.test(set) ? "" : set.split(";")[0]!;
    return response;
  };
}
