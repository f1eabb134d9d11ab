import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { generateSigningKey, parseSigningKey, sign } from "./webhook-signature.ts";

const id = "01890a5d-ac96-774b-bcce-b302099a8057";
const nowSeconds = () => Math.floor(Date.now() / 1000);

function keyOf(text: string): Buffer {
  const parsed = parseSigningKey(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.key;
}

describe("a signature", () => {
  test.each([["{}"], ['{"text":"ünïcode 🔑"}'], [""]])(
    "of the body %j is accepted by the Standard Webhooks library",
    (body) => {
      const text = generateSigningKey();
      const timestamp = nowSeconds();
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": sign([keyOf(text)], id, timestamp, Buffer.from(body)),
      };
      expect(() => new Webhook(text).verify(body, headers)).not.toThrow();
      expect(() => new Webhook(text).verify(`${body} `, headers)).toThrow("No matching signature");
    },
  );

  test("is there once per key, newest first, so that either key verifies during a rotation", () => {
    const newest = generateSigningKey();
    const oldest = generateSigningKey();
    const timestamp = nowSeconds();
    const signature = sign([keyOf(newest), keyOf(oldest)], id, timestamp, "{}");
    const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
    for (const text of [newest, oldest]) expect(new Webhook(text).verify("{}", headers)).toEqual({});
    expect(signature.split(" ")[0]).toBe(sign([keyOf(newest)], id, timestamp, "{}"));
  });

  test("is the one the specification's algorithm gives for known input", () => {
    const key = keyOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const webhook = new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    expect(sign([key], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}')).toBe(
      webhook.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", new Date(1614265330_000), '{"test": 2432232314}'),
    );
  });
});

describe("a signing key", () => {
  test("is 32 random bytes when generated", () => {
    expect(keyOf(generateSigningKey())).toHaveLength(32);
    expect(generateSigningKey()).not.toBe(generateSigningKey());
  });

  test.each([
    ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "does not begin with whsec_"],
    ["whsec_", "has something other than base64 after whsec_"],
    ["whsec_a b", "has something other than base64 after whsec_"],
    ["whsec_c2hvcnQ=", "has 5 bytes; Standard Webhooks asks for 24 to 64"],
    [`whsec_${Buffer.alloc(65).toString("base64")}`, "has 65 bytes; Standard Webhooks asks for 24 to 64"],
  ])("%j is refused with the reason", (text, problem) => {
    expect(parseSigningKey(text)).toEqual({ problem });
  });
});
