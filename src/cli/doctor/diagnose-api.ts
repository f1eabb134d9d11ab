import { PunctualApiError } from "../../client/index.ts";
import { describeFailure } from "../failure.ts";
import { lasting } from "../output/time.ts";
import type { Session } from "../session.ts";
import { packageVersion } from "../version.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const LAG_MS_MAX = 10_000;

/** What a node tells about itself. */
export async function diagnoseApi(session: Session): Promise<Finding[]> {
  const { remote } = session;
  const client = await session.client();
  try {
    const began = performance.now();
    const { status, version } = await client.health.ready();
    const took = Math.ceil(performance.now() - began);
    const reached =
      status === "ok"
        ? ok("API", `${remote.url} answers in ${took} ms`)
        : problem(
            "API",
            `${remote.url} answers, but cannot reach its database`,
            "look in its log, and at the database",
          );
    return [reached, judgeVersion(version), ...(await judgeKey(session))];
  } catch (error) {
    if (error instanceof PunctualApiError) throw error;
    return [problem("API", describeFailure(error, remote).text, "nothing else can be asked before this is right")];
  }
}

function judgeVersion(version: string): Finding {
  const own = packageVersion();
  if (version === own) return ok("Version", version);
  return warning("Version", `the node runs ${version}, this program is ${own}`, "use the same version on both");
}

async function judgeKey(session: Session): Promise<Finding[]> {
  const client = await session.client();
  try {
    const { queue, clock } = await client.health.detailed();
    const late = queue !== null && queue.lagMs > LAG_MS_MAX;
    const lag = `${queue?.due ?? 0} due and not started${late ? `, the oldest for ${lasting(queue.lagMs)}` : ""}`;
    return [
      ok("Key", `from ${session.remote.keyFrom}, accepted`),
      late ? warning("Queue", lag, "start more nodes, or raise PUNCTUAL_CONCURRENCY") : ok("Queue", lag),
      ...(clock === null ? [] : [ok("Node clock", `${Math.round(Math.abs(clock.offsetMs))} ms from the database's`)]),
    ];
  } catch (error) {
    if (!(error instanceof PunctualApiError)) throw error;
    return [
      problem(
        "Key",
        `from ${session.remote.keyFrom}: ${error.reason}`,
        "make another: punctual keys create, then punctual context set",
      ),
    ];
  }
}
