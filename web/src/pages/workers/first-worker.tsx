import { Link } from "@tanstack/react-router";
import { useMay } from "../../api/session.tsx";
import { Code } from "../../ui/copy.tsx";
import { Empty } from "../../ui/notice.tsx";

/** How to have a worker, where there is none. */
export function FirstWorker() {
  const mayMakeKeys = useMay("admin");
  return (
    <Empty title="No worker is running.">
      <p>
        A worker is a process of your own that asks for work over HTTP: it needs no open port. It comes with a key of
        the scope <code className="font-mono">work</code>
        {mayMakeKeys ? (
          <>
            , which you make under{" "}
            <Link to="/settings/$section" params={{ section: "keys" }} className="text-accent underline">
              API keys
            </Link>
            .
          </>
        ) : (
          ", which an admin makes under Settings, API keys."
        )}
      </p>
      <div className="w-full text-left">
        <Code label="a worker in TypeScript" text={EXAMPLE} />
      </div>
      <p>
        Then a job with the target <code className="font-mono">{TARGET}</code> runs in it. Other languages speak the
        same protocol, in six calls: docs/workers.md.
      </p>
    </Empty>
  );
}

const TARGET = '{ "type": "worker", "handler": "send-report" }';

const EXAMPLE = `import { Worker } from "punctual/client";

const worker = new Worker({
  url: "${location.origin}",
  key: process.env.PUNCTUAL_API_KEY,
  signals: true,
});

worker.handle("send-report", { concurrency: 10 }, async (run) => {
  run.log.info("sending", { to: run.payload.to });
  return { sent: true };
});

await worker.start();`;
