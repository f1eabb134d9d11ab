import { Pool } from "undici";

/** The call that a handler of a peer makes: unsigned, to wherever it is told, by the client that Node itself is made of. */
export class Deliveries {
  readonly #pool: Pool;

  constructor(url: string, connections: number) {
    this.#pool = new Pool(url, { connections, pipelining: 1 });
  }

  async deliver(id: number): Promise<void> {
    const { statusCode, body } = await this.#pool.request({
      method: "POST",
      path: "/",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id }),
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`the target answered ${statusCode}`);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
