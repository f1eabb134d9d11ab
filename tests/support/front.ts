// One address in front of several nodes, as a load balancer gives it: each connection goes to the next node that is there.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { TestNode } from "./nodes.ts";

export interface Front {
  readonly url: string;
  /** Whom connections go to from now on; those that are open stay with whom they have. */
  nodes: TestNode[];
}

export async function openFront(nodes: TestNode[]): Promise<Front> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const living = front.nodes.filter((node) => node.running);
    turn += 1;
    const node = living[turn % living.length];
    if (node === undefined) return client.destroy();
    const upstream = connect(Number(new URL(node.url).port), "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const front: Front = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, nodes };
  return front;
}
