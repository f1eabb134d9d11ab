/** The rows in their places, each as it is by now, and how many of the new ones are not among them. */
export function held<Row extends { id: string }>(
  rows: readonly Row[],
  news: readonly Row[],
): { rows: readonly Row[]; unseen: number } {
  if (news.length === 0) return { rows, unseen: 0 };
  const fresh = new Map(news.map((row) => [row.id, row]));
  const shown = rows.map((row) => fresh.get(row.id) ?? row);
  const known = new Set(rows.map(({ id }) => id));
  return { rows: shown, unseen: news.filter(({ id }) => !known.has(id)).length };
}
