// Schemas of the user's own choice, for payloads and results: whatever speaks Standard Schema (zod, valibot, arktype…), or
// has zod's `safeParse`.

/** The part of https://standardschema.dev that is needed. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type Checked<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

export interface SafeParseSchema<Output = unknown> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: Output }
    | { success: false; error: { issues: ReadonlyArray<{ message: string; path: ReadonlyArray<PropertyKey> }> } };
}

export type Schema = StandardSchema | SafeParseSchema;

/** What comes out of a schema: what a handler gets as its payload. */
export type OutputOf<S extends Schema> =
  S extends StandardSchema<infer _, infer Output> ? Output : S extends SafeParseSchema<infer Output> ? Output : never;

/** What a schema takes: what a handler returns as its result. */
export type InputOf<S extends Schema> =
  S extends StandardSchema<infer Input, infer _> ? Input : S extends SafeParseSchema<infer Output> ? Output : never;

export class DoesNotFit extends Error {
  override readonly name = "DoesNotFit";
}

/** The value as the schema gives it back. What does not fit is an error that names the place and the problem. */
export async function conform(schema: Schema, value: unknown, what: "payload" | "result"): Promise<unknown> {
  const checked = "~standard" in schema ? await schema["~standard"].validate(value) : asStandard(schema, value);
  if (checked.issues === undefined) return checked.value;
  const [first, ...more] = checked.issues;
  const keys = (first?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  const others = more.length > 0 ? ` (and ${more.length} more)` : "";
  throw new DoesNotFit(`${[what, ...keys].join(".")}: ${first?.message ?? "does not fit"}${others}`);
}

function asStandard(schema: SafeParseSchema, value: unknown): Checked<unknown> {
  const parsed = schema.safeParse(value);
  return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
}
