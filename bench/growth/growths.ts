import { growth as churn } from "./churn.ts";
import type { Growth } from "./growth.ts";
import { growth as history } from "./history.ts";
import { growth as jobs } from "./jobs.ts";
import { growth as nodes } from "./nodes.ts";
import { growth as queue } from "./queue.ts";

export const GROWTHS: readonly Growth[] = [jobs, nodes, queue, history, churn];
