// Requests made from an OpenAPI document, for the fuzzer: most of them nearly right, because what is plainly wrong is refused
// before anything interesting happens.

import fc from "fast-check";
import { z } from "zod";

type Schema = Record<string, unknown>;

export interface Document {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

interface DescribedOperation {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  described: DescribedOperation;
  /** By status: the type of the answer, if it has a body, and what that must be. */
  responses: Record<number, [type: string | null, schema: z.ZodType]>;
}

export interface FuzzedRequest {
  /** Of the operation. */
  id: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      described,
      responses: responsesOf(document, described),
    })),
  );
}

function responsesOf({ components }: Document, { responses }: DescribedOperation): Operation["responses"] {
  const declared = Object.entries(responses).filter(([status]) => status !== "default");
  return Object.fromEntries(
    declared.map(([status, { content }]) => {
      const [type, schema] = Object.entries(content ?? {}).map(([name, { schema }]) => [name, schema] as const)[0] ?? [
        null,
        {},
      ];
      const whole = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
        "#/components/schemas/",
        "#/$defs/",
      );
      return [status, [type, z.fromJSONSchema(JSON.parse(whole, withProperties))]];
    }),
  );
}

/** The library looks at `required` only where there are properties. */
function withProperties(_key: string, schema: unknown): unknown {
  const { required, properties } = (schema ?? {}) as { required?: unknown; properties?: unknown };
  if (!Array.isArray(required) || properties !== undefined) return schema;
  return { type: "object", properties: Object.fromEntries(required.map((name) => [name, {}])), required };
}

/** Ids and names that lead somewhere, by the part of the path that they stand behind. */
export type Known = Record<string, string[]>;

export function requestsOf(operation: Operation, known: Known): fc.Arbitrary<FuzzedRequest> {
  const { method, described } = operation;
  const schema = described.requestBody?.content["application/json"]?.schema;
  const values = new Values(Object.values(known).flat());
  return fc
    .record({
      path: pathOf(operation, known),
      query: queryOf(described, values),
      headers: headersOf(),
      body: schema === undefined ? fc.constant(null) : maybe(bodyOf(values, schema), 12),
    })
    .map(({ path, query, headers, body }) => ({
      id: operation.id,
      method,
      path: path + query,
      headers: { ...(body === null ? {} : { "content-type": "application/json" }), ...headers },
      body,
    }));
}

/** So many times for each time that it is not there. */
function maybe<T>(value: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 100, arbitrary: fc.constant(null) }, { weight: 100 * times, arbitrary: value });
}

function pathOf({ path }: Operation, known: Known): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const own = known[path.split("/")[3] ?? ""] ?? ["victim"];
  const segment = (name: string) =>
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...(name === "n" ? ["1", "2"] : own)) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.values(known).flat()) },
      { weight: 1, arbitrary: fc.uuid() },
      { weight: 2, arbitrary: HOSTILE_TEXT.map(segmentOf) },
    );
  return fc
    .tuple(...names.map(segment))
    .map((segments) => names.reduce((text, name, i) => text.replace(`{${name}}`, () => segments[i]!), path));
}

/** fetch would resolve dots before it asks. */
function segmentOf(text: string): string {
  const encoded = percentEncoded(text.slice(0, 300));
  return encoded === "" || /^\.+$/.test(encoded) ? "%00" : encoded;
}

function percentEncoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : "%ED%A0%80";
}

function queryOf({ parameters }: DescribedOperation, values: Values): fc.Arbitrary<string> {
  const pairs = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema }) => {
      const right = values.of(schema).map((value) => (Array.isArray(value) ? value.join(",") : String(value)));
      const value = fc.oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: HOSTILE_TEXT });
      return maybe(
        value.map((text) => `${name}=${percentEncoded(text.slice(0, 2_000))}`),
        1,
      );
    });
  const odd = maybe(
    fc.constantFrom("__proto__=1", "constructor[prototype]=1", "unknown=1", "%", "limit=1&limit=2"),
    0.05,
  );
  return fc.tuple(odd, ...pairs).map((all) => {
    const given = all.filter((pair) => pair !== null);
    return given.length === 0 ? "" : `?${given.join("&")}`;
  });
}

const VISIBLE = fc.string({ unit: fc.constantFrom(...'abcZ09 "*,;=/\\{}[]()<>é'), maxLength: 300 });

function headersOf(): fc.Arbitrary<Record<string, string>> {
  const sometimes = (value: fc.Arbitrary<string>) => maybe(value, 0.05);
  return fc
    .record({
      "if-match": sometimes(fc.oneof(fc.constantFrom('"1"', '"2"', 'W/"1"', "*", '"99999999999"'), VISIBLE)),
      "idempotency-key": sometimes(fc.oneof(fc.constantFrom("again", "x".repeat(255), "x".repeat(256)), VISIBLE)),
      "last-event-id": sometimes(VISIBLE),
      "punctual-project": sometimes(fc.oneof(fc.constantFrom("default", "other", "__proto__"), VISIBLE)),
      "x-request-id": sometimes(VISIBLE),
      accept: sometimes(fc.constantFrom("text/event-stream", "text/html", "*/*", "")),
    })
    .map((headers) =>
      Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value.trim()]])),
      ),
    );
}

/** Bodies as text, because not everything that can be sent can be a value. */
function bodyOf(values: Values, schema: Schema): fc.Arbitrary<string> {
  const right = values.of(schema).map((value) => JSON.stringify(value));
  const spoilt = fc
    .tuple(values.of(schema), fc.nat(), HOSTILE)
    .map(([value, where, hostile]) => JSON.stringify(replacedAt(value, where, hostile)));
  const broken = fc.tuple(right, fc.constantFrom(...BREAKERS)).map(([text, breaks]) => breaks(text));
  return fc.oneof(
    { weight: 6, arbitrary: right },
    { weight: 6, arbitrary: spoilt },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: HOSTILE.map((value) => JSON.stringify(value)) },
  );
}

const BREAKERS: ((text: string) => string)[] = [
  (text) => text.slice(0, text.length / 2),
  (text) => text.replace("{", '{"__proto__":{"polluted":true},'),
  (text) => text.replace("{", '{"constructor":{"prototype":{"polluted":true}},'),
  (text) => text.replace(/"(\w+)":/, '"$1":null,"$1":'),
  (text) => text.replace(/\d+/, "1e999"),
  (text) => text.replace(/"/, '"\\u0000\\ud800'),
  (text) => `${"[".repeat(200)}${text}${"]".repeat(200)}`,
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
];

const HOSTILE_TEXT: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      "",
      " ",
      ".",
      "..",
      "../..",
      "\u0000",
      "\ud800",
      "a\udfffb",
      "__proto__",
      "constructor",
      "toString",
      "null",
      "true",
      "0",
    ],
    ...[
      "-1",
      "1e309",
      "9".repeat(400),
      "NaN",
      "'; drop table job; --",
      "{{secrets.VICTIM}}",
      "{{payload.a",
      "{{__proto__}}",
    ],
    ...[
      "%00",
      "\r\nx: y",
      "\u202e",
      "💩",
      "é".repeat(500),
      "x".repeat(20_000),
      "9999-12-31T23:59:59Z",
      "0000-01-01T00:00:00Z",
    ],
    ...[
      "* * * * * * *",
      "*/0 * * * *",
      "0 0 30 2 *",
      "@reboot",
      "99999999999d",
      "1ms",
      "http://[::1",
      "file:///etc/passwd",
    ],
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const DEEP = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ a: [inner] }), 1);

const HOSTILE: fc.Arbitrary<unknown> = fc.oneof(
  HOSTILE_TEXT,
  fc.constantFrom<unknown>(
    null,
    true,
    [],
    {},
    [[]],
    [null],
    0,
    -0,
    -1,
    1.5,
    1e308,
    2 ** 31,
    2 ** 53,
    Number.MIN_VALUE,
    DEEP,
  ),
  fc.constantFrom<unknown>(
    { constructor: { prototype: { polluted: true } } },
    { toString: 1 },
    { length: -1 },
    { "": "" },
  ),
  fc.constant(Array.from({ length: 3_000 }, (_, i) => i)),
  fc.jsonValue({ maxDepth: 4 }),
);

/** The value with something else at one of its places. */
function replacedAt(value: unknown, where: number, hostile: unknown): unknown {
  const places = placesOf(value);
  const [holder, key] = places[where % (places.length + 1)] ?? [null, ""];
  if (holder === null) return hostile;
  return JSON.parse(JSON.stringify(value), function replace(this: unknown, name, inner) {
    return name === key && JSON.stringify(this) === JSON.stringify(holder) ? hostile : inner;
  });
}

function placesOf(value: unknown): [holder: object, key: string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): [object, string][] => [[value, key], ...placesOf(inner)]);
}

/** Values that a schema allows, or nearly. */
class Values {
  readonly #known: string[];

  constructor(known: string[]) {
    this.#known = known;
  }

  of(schema: Schema, name = ""): fc.Arbitrary<unknown> {
    // A poll that waits would make the fuzzer wait.
    if (name === "waitMs") return fc.nat(20);
    if ("const" in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
    const choices = (schema.anyOf ?? (schema.properties ? undefined : schema.oneOf)) as Schema[] | undefined;
    if (choices) return fc.oneof(...choices.map((choice) => this.of(choice, name)));
    switch (schema.type) {
      case "object":
        return this.#object(schema);
      case "array":
        return fc.array(this.of((schema.items as Schema | undefined) ?? {}), { maxLength: 3 });
      case "integer":
      case "number":
        return numberOf(schema);
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "string":
        return this.#text(schema, name);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  #object({ properties = {}, required = [], additionalProperties, oneOf }: Schema): fc.Arbitrary<unknown> {
    const kinds = ((oneOf ?? []) as { required: string[] }[]).map((kind) => kind.required[0]!);
    if (kinds.length > 0)
      return fc.oneof(...kinds.map((kind) => this.#object(ofKind(kind, kinds, properties as Schema))));
    const members = Object.entries(properties as Record<string, Schema>).filter(([, member]) => !member.readOnly);
    const optional = members.map(([name]) => name).filter((name) => !(required as string[]).includes(name));
    // A few of them: with many one is always wrong.
    const record = fc.subarray(optional, { maxLength: Math.min(optional.length, 3) }).chain((chosen) => {
      const present = members.filter(([name]) => (required as string[]).includes(name) || chosen.includes(name));
      return fc.record(Object.fromEntries(present.map(([name, member]) => [name, this.of(member, name)])));
    });
    if (members.length > 0 || typeof additionalProperties !== "object") return record;
    const names = fc.constantFrom("x-a", "b", "state", "__proto", "constructor");
    return fc.dictionary(names, this.of(additionalProperties as Schema), { maxKeys: 3 });
  }

  #text({ format, pattern, maxLength }: Schema, name: string): fc.Arbitrary<string> {
    const likely = LIKELY[name];
    if (likely) return fc.constantFrom(...likely);
    if (format === "uuid") return fc.oneof(fc.constantFrom(...this.#known.filter((id) => id.length === 36)), fc.uuid());
    if (format === "date-time")
      return fc.constantFrom("2030-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z");
    if (typeof pattern === "string") return fc.oneof(fc.constantFrom(...this.#known), matching(pattern));
    return fc.oneof(
      fc.constantFrom(...this.#known, "1s", "5m"),
      fc.string({ maxLength: Math.min(Number(maxLength ?? 20), 20) }),
    );
  }
}

/** What the schema only says is text. */
const LIKELY: Record<string, string[]> = {
  cron: ["0 2 * * *", "*/5 * * * *", "0 0 L * *", "* * * * * *", "0 0 29 2 *", "@daily", "0 12 * * 1#2"],
  every: ["1s", "10m", "36500d"],
  timezone: ["UTC", "Europe/Berlin", "Pacific/Apia", "America/Sao_Paulo"],
  url: ["https://target.example/{{payload.a}}", "https://10.0.0.1/", "http://x/?a={{job.name}}"],
  at: ["2030-01-01T00:00:00Z", "2031-03-30T02:30:00"],
  delay: ["1s", "30d"],
  startsAt: ["2029-12-01T00:00:00Z", "2030-01-01T00:00:00+01:00"],
  endsAt: ["2040-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
  handler: ["victim", "send-report"],
  name: ["victim", "a.b_c-1", "Z"],
  from: ["2030-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
  runAt: ["2030-01-01T00:00:00Z", "2020-01-01T00:00:00Z"],
  ...Object.fromEntries(
    [
      "timeout",
      "connectTimeout",
      "window",
      "grace",
      "initialDelay",
      "maxDelay",
      "maxElapsed",
      "retainFor",
      "expiresIn",
    ].map((name) => [name, ["1s", "250ms", "5m", "30d"]]),
  ),
};

/** Of an object that must have exactly one of several members. */
function ofKind(kind: string, kinds: string[], properties: Schema): Schema {
  const without = Object.entries(properties).filter(([name]) => name === kind || !kinds.includes(name));
  return { properties: Object.fromEntries(without), required: [kind] };
}

function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { maxLength: 40 });
  } catch {
    return fc.string({ maxLength: 20 });
  }
}

function numberOf({ type, minimum, maximum }: Schema): fc.Arbitrary<number> {
  const [min, max] = [Math.max(Number(minimum ?? 0), -1e9), Math.min(Number(maximum ?? 1_000), 1e9)];
  const near = fc.constantFrom(min, max, min - 1, max + 1);
  const within = type === "integer" ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
  return fc.oneof({ weight: 20, arbitrary: within }, { weight: 1, arbitrary: near });
}
