// The limit of deliveries: an HTTP client that does nothing else.

import { Deliveries } from "./deliveries.ts";

/** Milliseconds since 1970 when the last answer was there. */
export async function send({
  url,
  count,
  connections,
}: {
  url: string;
  count: number;
  connections: number;
}): Promise<number> {
  const deliveries = new Deliveries(url, connections);
  let next = 0;
  const loop = async () => {
    while (next < count) await deliveries.deliver(next++);
  };
  await Promise.all(Array.from({ length: connections }, loop));
  const endedAt = Date.now();
  await deliveries.close();
  return endedAt;
}
