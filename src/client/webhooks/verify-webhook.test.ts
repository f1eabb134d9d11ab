import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { generateSigningKey, parseSigningKey, sign } from "../../core/webhook-signature.ts";
import { verifyRequest } from "./request.ts";
import { webhookOf } from "./verified-calls.ts";
import { type ReceivedWebhook, verifyWebhook } from "./verify-webhook.ts";

const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const KEY = generateSigningKey();
const OTHER_KEY = generateSigningKey();
const NOW = new Date("2026-12-01T01:00:00.500Z");
const SECONDS = Math.floor(NOW.getTime() / 1_000);
const BODY = '{"text":"ünïcode 🔑"}';

function bytes(key: string): Buffer {
  const parsed = parseSigningKey(key);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.key;
}

/** As the server signs; what a test changes of it comes last. */
function received(changed: Partial<ReceivedWebhook> = {}, { signedBy = [KEY], at = SECONDS } = {}): ReceivedWebhook {
  const headers = {
    "webhook-id": ID,
    "webhook-timestamp": String(at),
    "webhook-signature": sign(signedBy.map(bytes), ID, at, BODY),
  };
  return { headers, body: BODY, keys: KEY, now: () => NOW, ...changed };
}

describe("a call that Punctual signed", () => {
  test.each([
    ["text", BODY],
    ["bytes", new TextEncoder().encode(BODY)],
    ["an ArrayBuffer", new TextEncoder().encode(BODY).buffer],
    ["a Buffer", Buffer.from(BODY)],
  ])("is verified with its body as %s", async (_, body) => {
    const call = await verifyWebhook(received({ body: body as ReceivedWebhook["body"] }));
    expect(call).toMatchObject({ id: ID, timestamp: new Date(SECONDS * 1_000), payload: { text: "ünïcode 🔑" } });
  });

  test("is verified by the Standard Webhooks library too, and theirs is verified here", async () => {
    const { headers } = received({}, { at: Math.floor(Date.now() / 1_000) });
    expect(new Webhook(KEY).verify(BODY, headers as Record<string, string>)).toEqual({ text: "ünïcode 🔑" });
    const theirs = { ...headers, "webhook-signature": new Webhook(KEY).sign(ID, NOW, BODY) };
    const stamped = { ...theirs, "webhook-timestamp": String(SECONDS) };
    await expect(verifyWebhook(received({ headers: stamped }))).resolves.toMatchObject({ id: ID });
  });

  test("carries what Punctual says about it", async () => {
    const { headers } = received();
    const call = await verifyWebhook(
      received({
        headers: {
          ...headers,
          "punctual-execution-id": ID,
          "punctual-job": "nightly-report",
          "punctual-attempt": "2",
          "punctual-scheduled-at": "2026-12-01T01:00:00.000Z",
          "punctual-callback-url": "https://punctual.example/api/v1/callbacks/t",
          "idempotency-key": "first",
          traceparent: "00-1-2-00",
        },
      }),
    );
    expect(call).toMatchObject({
      job: "nightly-report",
      attempt: 2,
      scheduledAt: new Date("2026-12-01T01:00:00.000Z"),
      callbackUrl: "https://punctual.example/api/v1/callbacks/t",
      idempotencyKey: "first",
      traceparent: "00-1-2-00",
    });
  });

  test("needs none of that", async () => {
    const nothing = { job: null, attempt: null, scheduledAt: null, callbackUrl: null, idempotencyKey: null };
    expect(await verifyWebhook(received())).toMatchObject(nothing);
    const { headers } = received();
    const odd = { ...headers, "punctual-attempt": "soon", "punctual-scheduled-at": "then" };
    expect(await verifyWebhook(received({ headers: odd }))).toMatchObject({ attempt: null, scheduledAt: null });
  });

  test.each([
    ["", null],
    ["plain text", "plain text"],
    ["[1]", [1]],
  ])("with the body %j has the payload %j", async (body, payload) => {
    const signature = sign([bytes(KEY)], ID, SECONDS, body);
    const headers = { ...received().headers, "webhook-signature": signature };
    expect((await verifyWebhook(received({ body, headers }))).payload).toEqual(payload);
  });

  test("may have its headers as the Fetch API has them, in any case, or as lists", async () => {
    const { headers } = received();
    const plain = headers as Record<string, string>;
    const shouted = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name.toUpperCase(), value]));
    const listed = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, [value]]));
    for (const each of [new Headers(plain), shouted, listed])
      await expect(verifyWebhook(received({ headers: each }))).resolves.toMatchObject({ id: ID });
  });

  test("is verified while keys are being replaced, whichever side is first", async () => {
    await expect(verifyWebhook(received({}, { signedBy: [OTHER_KEY, KEY] }))).resolves.toBeDefined();
    await expect(verifyWebhook(received({ keys: [OTHER_KEY, KEY] }))).resolves.toBeDefined();
  });

  test("is verified with a key that lost its prefix", async () => {
    await expect(verifyWebhook(received({ keys: KEY.slice("whsec_".length) }))).resolves.toBeDefined();
  });

  test.each([[-300], [299]])("is verified %d seconds away from its time", async (seconds) => {
    await expect(verifyWebhook(received({}, { at: SECONDS + seconds + (seconds < 0 ? 1 : 0) }))).resolves.toBeDefined();
  });
});

describe("refused is a call", () => {
  const signature = (value: string) => ({ ...received().headers, "webhook-signature": value });

  test.each<[string, string, ReceivedWebhook]>([
    ["whose body was changed", "no_matching_signature", received({ body: BODY.replace("ü", "u") })],
    ["whose body was parsed and written again", "no_matching_signature", received({ body: `${BODY} ` })],
    ["with another id", "no_matching_signature", received({ headers: { ...received().headers, "webhook-id": "x" } })],
    [
      "with another time",
      "no_matching_signature",
      received({ headers: { ...received().headers, "webhook-timestamp": String(SECONDS + 1) } }),
    ],
    ["signed with another key", "no_matching_signature", received({ keys: OTHER_KEY })],
    ["with a signature that is cut off", "no_matching_signature", received({ headers: signature("v1,AAAA") })],
    ["with a signature of no bytes", "no_matching_signature", received({ headers: signature("v1,") })],
    ["with a signature that is no base64", "no_matching_signature", received({ headers: signature("v1,?") })],
    [
      "with a signature of another scheme only",
      "no_matching_signature",
      received({ headers: signature(sign([bytes(KEY)], ID, SECONDS, BODY).replace("v1", "v1a")) }),
    ],
    ["that is old", "timestamp_too_old", received({}, { at: SECONDS - 301 })],
    ["from the future", "timestamp_too_new", received({}, { at: SECONDS + 302 })],
    [
      "whose time is no time",
      "invalid_timestamp",
      received({ headers: { ...received().headers, "webhook-timestamp": "1e9" } }),
    ],
    ["without headers", "missing_header", received({ headers: {} })],
    ["without an id", "missing_header", received({ headers: { ...received().headers, "webhook-id": undefined } })],
    ["without a signature", "missing_header", received({ headers: signature("") })],
    ["when the tolerance is no number", "timestamp_too_old", received({ toleranceMs: Number.NaN })],
  ])("%s", async (_, code, call) => {
    await expect(verifyWebhook(call)).rejects.toMatchObject({ name: "WebhookVerificationError", code });
  });

  test("beyond the tolerance that the receiver wants", async () => {
    const late = received({ toleranceMs: 10_000 }, { at: SECONDS - 11 });
    await expect(verifyWebhook(late)).rejects.toMatchObject({ code: "timestamp_too_old" });
  });

  test("that hides its signature behind a thousand others", async () => {
    const many = `${"v1,AAAA ".repeat(1_000)}${sign([bytes(KEY)], ID, SECONDS, BODY)}`;
    await expect(verifyWebhook(received({ headers: signature(many) }))).rejects.toMatchObject({
      code: "no_matching_signature",
    });
  });
});

describe("keys that cannot verify anything are a mistake of the receiver, and throw:", () => {
  test.each([
    ["none", [], "there is no key to verify with"],
    ["undefined", undefined, "there is no key to verify with"],
    ["an empty one", "", "key 1 of those to verify with is empty"],
    ["an empty one among others", [KEY, ""], "key 2 of those to verify with is empty"],
    ["only the prefix", "whsec_", "is empty"],
    ["no base64", "whsec_a b", "is no base64"],
    ["one that was cut off", "whsec_c2hvcnQ=", "has 5 bytes; Standard Webhooks asks for 24 to 64"],
  ])("%s", async (_, keys, problem) => {
    const error = await verifyWebhook(received({ keys: keys as string })).catch((error) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain(problem);
  });

  test("and what they throw does not repeat them", async () => {
    const error = await verifyWebhook(received({ keys: "whsec_c2hvcnQ=" })).catch((error) => error);
    expect(error.message).not.toContain("c2hvcnQ");
  });
});

describe("a Request", () => {
  test("is verified with its body, and remembers the call", async () => {
    const { headers } = received();
    const request = new Request("https://receiver.example/", {
      method: "POST",
      headers: headers as Record<string, string>,
      body: BODY,
    });
    const call = await verifyRequest<{ text: string }>(request, [OTHER_KEY, KEY], { now: () => NOW });
    expect(call.payload.text).toBe("ünïcode 🔑");
    expect(webhookOf(request)).toBe(call);
  });

  test("that nobody verified has no call", () => {
    expect(() => webhookOf(new Request("https://receiver.example/"))).toThrow("was not verified");
  });

  test("whose body is a parsed object is a mistake", async () => {
    await expect(verifyWebhook(received({ body: JSON.parse(BODY) }))).rejects.toThrow("not what was parsed from them");
  });
});
