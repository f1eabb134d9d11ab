import type { Me } from "../../client/index.ts";
import { facts } from "../output/facts.ts";
import type { Session } from "../session.ts";

const KINDS: Record<Me["kind"], string> = {
  key: "an API key",
  session: "somebody who is signed in",
  token: "a token of the identity provider",
};

export async function showWhoami(session: Session): Promise<void> {
  const { out } = session;
  const me = await (await session.client()).me();
  const { url, urlFrom, keyFrom } = session.remote;
  out.show(me, () =>
    facts(
      [
        ["Name", me.name],
        ["Is", KINDS[me.kind] ?? me.kind],
        ["Project", me.project?.name ?? "none is named"],
        ["May", [...me.scopes, ...(me.instanceAdmin ? ["see to the instance, in every project"] : [])].join(", ")],
        ["Member of", me.projects.map(({ name, role }) => `${name} (${role})`).join(", ")],
        ["Server", `${url} (from ${urlFrom})`],
        ["Key", `from ${keyFrom}`],
      ],
      out,
    ),
  );
}
