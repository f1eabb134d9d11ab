/** Headers as the Fetch API has them, or as Node.js and its frameworks do. */
export type WrittenHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Null if it is missing. Of a header that came several times the first counts. */
export function headerIn(headers: WrittenHeaders, name: string): string | null {
  if (typeof headers.get === "function") return (headers as { get(name: string): string | null }).get(name);
  const plain = headers as Exclude<WrittenHeaders, { get(name: string): string | null }>;
  const found = plain[name] ?? Object.entries(plain).find(([key]) => key.toLowerCase() === name)?.[1];
  return (typeof found === "string" ? found : found?.[0]) ?? null;
}
