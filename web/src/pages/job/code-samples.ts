// Programs that do with the job what the page does, with its real name and address, to be copied as they are.

import type { HttpTarget, Job, WorkerTarget } from "punctual/client";
import { writeJson } from "./json-text.ts";
import { specOf } from "./spec.ts";

interface Sample {
  title: string;
  about: string;
  text: string;
}

/** Where the page is from, which is where the API is. */
export function codeSamples(job: Job, origin: string): Sample[] {
  return [
    {
      title: "Run it with curl",
      about: "Answers with the execution. With a “key” beside the payload, the same key again runs nothing new.",
      text: curlTrigger(job, origin),
    },
    { title: "Run it from TypeScript", about: "And wait for what becomes of it.", text: clientTrigger(job, origin) },
    {
      title: "On the command line",
      about: "Run it, look at it, pause it, find what failed.",
      text: commands(job, origin),
    },
    {
      title: "Write it with curl",
      about: "The whole job. Written again without a change, it stays the same version.",
      text: curlPut(job, origin),
    },
    ...receiving(job, origin),
  ];
}

function receiving({ target }: Job, origin: string): Sample[] {
  if (target.type === "http") return receivingCalls(target);
  return target.type === "worker"
    ? [
        {
          title: "The worker that does it",
          about: "It asks for work, so it needs no open port. A key with the scope “work” is enough.",
          text: worker(target, origin),
        },
      ]
    : [];
}

function curlTrigger({ name, payload }: Job, origin: string): string {
  return [
    `curl -sS -X POST ${quoted(`${origin}/api/v1/jobs/${name}/trigger`)} \\`,
    `  -H "authorization: Bearer $PUNCTUAL_API_KEY" \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d ${quoted(JSON.stringify({ payload }))}`,
  ].join("\n");
}

function curlPut(job: Job, origin: string): string {
  return [
    `curl -sS -X PUT ${quoted(`${origin}/api/v1/jobs/${job.name}`)} \\`,
    `  -H "authorization: Bearer $PUNCTUAL_API_KEY" \\`,
    `  -H 'content-type: application/json' \\`,
    `  --data-binary @- <<'JSON'`,
    // No line of JSON is the bare word that ends it: texts have their line breaks escaped.
    writeJson(specOf(job)),
    "JSON",
  ].join("\n");
}

function clientTrigger({ name, payload }: Job, origin: string): string {
  return `import { PunctualClient } from "punctual/client";

const client = new PunctualClient({ url: ${JSON.stringify(origin)}, key: process.env.PUNCTUAL_API_KEY });

const payload = ${indented(payload)};
const { id } = await client.jobs.trigger(${JSON.stringify(name)}, { payload });
const execution = await client.executions.waitFor(id);
console.log(execution.state, execution.result);`;
}

function commands({ name, payload }: Job, origin: string): string {
  return [
    `export PUNCTUAL_URL=${quoted(origin)} # and the key in PUNCTUAL_API_KEY`,
    `punctual jobs trigger ${name} --payload ${quoted(JSON.stringify(payload))} --wait`,
    `punctual jobs show ${name}`,
    `punctual jobs pause ${name} --reason 'the API is down'`,
    `punctual executions list --job ${name} --state failed,unknown`,
  ].join("\n");
}

function receivingCalls({ url, method, signingKey, completion }: HttpTarget): Sample[] {
  const path = URL.canParse(url) ? new URL(url).pathname.replaceAll(/%7B%7B.*?%7D%7D/gi, ":value") : "/";
  const key = signingKey === undefined ? "the project’s signing key" : `the signing key “${signingKey}”`;
  const secret = `Every call is signed. WEBHOOK_SECRET is the secret of ${key}: punctual signing-keys secret <id>.`;
  const done = completion === "callback" ? CALLBACK : ANSWER;
  const imports =
    completion === "callback" ? "expressWebhooks, reportCallback, webhookOf" : "expressWebhooks, webhookOf";
  const express = `import express from "express";
import { ${imports} } from "punctual/client";

const app = express();
const keys = [process.env.WEBHOOK_SECRET];
// Before express.json(): what is verified are the bytes as they came.
app.${method.toLowerCase()}(${JSON.stringify(path)}, expressWebhooks({ keys }), async (req, res) => {
  const call = webhookOf(req);
${done}
});
app.listen(8080);`;
  const anything = `import { verifyWebhook } from "punctual/client";

// Headers and body as they came, not parsed. For what Punctual did not send it throws a WebhookVerificationError.
const keys = [process.env.WEBHOOK_SECRET];
const { payload, attempt, idempotencyKey } = await verifyWebhook({ headers, body, keys });`;
  return [
    { title: "Check the signature, with Express", about: secret, text: express },
    {
      title: "Check the signature, with anything",
      about: "The scheme is that of Standard Webhooks; other languages have libraries for it.",
      text: anything,
    },
  ];
}

const ANSWER = `  // The same for all attempts: do the work once for each.
  console.log(call.idempotencyKey, call.payload);
  res.json({ done: true });`;

const CALLBACK = `  res.status(202).end();
  // When the work is done, from any process:
  await reportCallback(call.callbackUrl, { outcome: "succeeded", result: { done: true } });`;

function worker({ handler }: WorkerTarget, origin: string): string {
  return `import { Worker } from "punctual/client";

const worker = new Worker({ url: ${JSON.stringify(origin)}, key: process.env.PUNCTUAL_API_KEY, signals: true });

worker.handle(${JSON.stringify(handler)}, async (run) => {
  run.log.info("started", { attempt: run.attempt });
  return { received: run.payload };
});

await worker.start();`;
}

/** As one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Short values on their line, others over several. */
function indented(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= 60 ? line : writeJson(value);
}
