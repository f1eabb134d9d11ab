import { claim as auth } from "./auth.ts";
import { claim as http } from "./http.ts";
import { claim as instant } from "./instant.ts";
import { claim as lateness } from "./lateness.ts";
import { claim as mixed } from "./mixed.ts";
import { claim as noop } from "./noop.ts";
import { claim as planner } from "./planner.ts";
import type { Claim } from "./support/claim.ts";
import { claim as trigger } from "./trigger.ts";
import { claim as workers } from "./workers.ts";

/** In the order of the report. */
export const CLAIMS: readonly Claim[] = [noop, mixed, http, lateness, instant, planner, trigger, auth, workers];
