import { z } from "zod";
import { jsonValue } from "./json.ts";
import { targetSchema } from "./target.ts";

/** What trying a target out takes. */
export const targetTestInput = z.strictObject({ target: targetSchema, payload: jsonValue.default(null) });
