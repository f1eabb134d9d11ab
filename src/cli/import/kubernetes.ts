// CronJob manifests as a declarative file. Nothing is sent anywhere.

import { zoneNamed } from "../../core/cron/zone.ts";
import { isFields } from "../declare/defaults.ts";
import { describePlace, type FileProblem, type PlacedValue, readDocuments } from "../declare/documents.ts";
import { translateSchedule } from "./crontab-schedule.ts";
import type { ImportedFile, ImportedJob } from "./imported-file.ts";
import { asName, Names } from "./job-name.ts";
import { type ImportTarget, type MadeTarget, targetFor } from "./target.ts";

type Fields = Record<string, unknown>;

const OVERLAPS: Readonly<Record<string, string>> = { Allow: "allow", Forbid: "skip", Replace: "cancel_previous" };
/** What Kubernetes does unless told otherwise. */
const BACKOFF_LIMIT = 6;
const TAG = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

const STDIN_REMARK =
  "Commands read the payload as JSON on their standard input, where a container's is empty: mind those that read it.";

export interface KubernetesOptions {
  file: string;
  source: string;
  target: ImportTarget;
}

export function importKubernetes(
  text: string,
  { file, source, target }: KubernetesOptions,
): { imported: ImportedFile; problems: FileProblem[]; skipped: string[] } {
  const { documents, problems } = readDocuments(text, file);
  const names = new Names();
  const skipped: string[] = [];
  const jobs = documents.flatMap((document) =>
    manifestsOf(document).flatMap(({ manifest, place }): ImportedJob[] => {
      if (manifest.kind === "CronJob") return [importManifest(manifest, place, { names, target })];
      skipped.push(`${place}: ${typeof manifest.kind === "string" ? manifest.kind : "something without a kind"}`);
      return [];
    }),
  );
  const about = [
    "Made from CronJob manifests. Read it, decide what says DECIDE, then: punctual plan -f <this file>",
    "Punctual runs no images: it calls an address, a handler of a worker, or a command on its nodes.",
    ...(target.kind === "shell" ? [STDIN_REMARK] : []),
  ];
  return { imported: { about, source, defaults: { tags: ["kubernetes"] }, jobs }, problems, skipped };
}

function manifestsOf({ value, placeOf }: PlacedValue): { manifest: Fields; place: string }[] {
  if (!isFields(value)) return [];
  const found = (manifest: unknown, path: string[]) =>
    isFields(manifest) ? [{ manifest, place: describePlace(placeOf(path)) }] : [];
  if (value.kind !== "List" && value.kind !== "CronJobList") return found(value, []);
  const items = Array.isArray(value.items) ? value.items : [];
  // The items of a CronJobList need not say again what they are.
  const kind = value.kind === "CronJobList" ? { kind: "CronJob" } : {};
  return items.flatMap((item, i) => found(isFields(item) ? { ...kind, ...item } : item, ["items", String(i)]));
}

function importManifest(
  manifest: Fields,
  place: string,
  { names, target }: { names: Names; target: ImportTarget },
): ImportedJob {
  const metadata = inner(manifest, "metadata");
  const spec = inner(manifest, "spec");
  const name = names.take(asName(String(metadata.name ?? metadata.generateName ?? "")) ?? "cron-job");
  const origin = [`${place}: CronJob ${[metadata.namespace, metadata.name].filter(Boolean).join("/")}`];
  const { zone, cron } = zoneAndCron(spec);
  const when = translateSchedule(cron, "kubernetes");
  if (when.kind === "none") return { name, origin, notes: [], decisions: [when.why], fields: null };
  const made = targetFor(target, name, () => containerTarget(inner(inner(spec, "jobTemplate"), "spec")));
  const behaviour = behaviourOf(spec);
  const badZone = zone !== undefined && zoneNamed(zone) === null;
  return {
    name,
    origin,
    notes: [
      ...when.notes,
      ...(zone === undefined ? ["it names no time zone; the cluster's was taken to be UTC"] : []),
      ...(spec.suspend === true ? [`it is suspended: after applying, punctual jobs pause ${name}`] : []),
      ...behaviour.notes,
      ...made.notes,
    ],
    decisions: [
      ...when.decisions,
      ...(badZone ? [`the time zone "${zone}" is not known here`] : []),
      ...made.decisions,
    ],
    fields: {
      ...tagsOf(metadata),
      schedule: { ...when.schedule, ...(zone === undefined || "every" in when.schedule ? {} : { timezone: zone }) },
      target: made.target,
      ...behaviour.fields,
    },
  };
}

/** Old manifests have the zone inside the expression. */
function zoneAndCron(spec: Fields): { zone: string | undefined; cron: string } {
  const written = String(spec.schedule ?? "");
  const [, inside, rest] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(written) ?? [];
  const zone = typeof spec.timeZone === "string" ? spec.timeZone : inside;
  return { zone, cron: rest ?? written };
}

function behaviourOf(spec: Fields): { fields: Fields; notes: string[] } {
  const job = inner(inner(spec, "jobTemplate"), "spec");
  const limit = typeof job.backoffLimit === "number" ? job.backoffLimit : BACKOFF_LIMIT;
  const deadline = seconds(job.activeDeadlineSeconds);
  const grace = seconds(spec.startingDeadlineSeconds);
  const many = [job.parallelism, job.completions].some((n) => typeof n === "number" && n > 1);
  return {
    fields: {
      // Kubernetes gives up only when it is told to.
      timeout: deadline ?? "1d",
      retry: {
        maxAttempts: Math.min(100, limit + 1),
        initialDelay: "10s",
        maxDelay: "6m",
        ...(deadline === null ? {} : { maxElapsed: deadline }),
      },
      overlap: OVERLAPS[String(spec.concurrencyPolicy ?? "Allow")] ?? "allow",
      ...(grace === null ? {} : { misfire: { policy: "skip", grace } }),
    },
    notes: many ? ["it ran several pods for one run (parallelism, completions); here a run is one call"] : [],
  };
}

function containerTarget(jobSpec: Fields): MadeTarget {
  const pod = inner(inner(jobSpec, "template"), "spec");
  const containers = listOf(pod.containers);
  const container = containers[0] ?? {};
  const written = [...texts(container.command), ...texts(container.args)];
  const words = written.map(unescaped);
  const env = environmentOf(container);
  const several = containers.length + listOf(pod.initContainers).length > 1;
  const image = `it ran in the image ${String(container.image ?? "(none)")}`;
  const unknown = texts(container.command).length === 0;
  return {
    target: {
      type: "shell",
      command: words[0] ?? "/bin/false",
      ...(words.length > 1 ? { args: words.slice(1) } : {}),
      ...(Object.keys(env.values).length === 0 ? {} : { env: env.values }),
      ...(typeof container.workingDir === "string" ? { cwd: container.workingDir } : {}),
    },
    notes: unknown
      ? env.notes
      : [`${image}: the command must be there on Punctual's nodes (PUNCTUAL_SHELL=on)`, ...env.notes],
    decisions: [
      ...(unknown ? [`${image} with the image's own command, which is not in the manifest: choose a target`] : []),
      ...(several ? ["it has several containers; only the first one is here"] : []),
      ...env.decisions,
      ...referenceDecisions(container, written),
    ],
  };
}

/** In commands, arguments and variables Kubernetes puts values for $(NAME); $$ is a dollar that means nothing. */
const DOLLAR = /\$(\$|\([^)]*\)|)/g;
/** Services are variables too, and stand in no manifest. */
const LIKE_A_VARIABLE = /^[A-Z_][A-Z0-9_]*$/;

function unescaped(text: string): string {
  return text.replace(DOLLAR, (seen, what) => (what === "$" ? "$" : seen));
}

/** Here nobody would put the value in, and a shell would run the name as a command. */
function referenceDecisions(container: Fields, words: readonly string[]): string[] {
  const variables = listOf(container.env);
  const known = new Set(variables.map(({ name }) => name));
  const values = variables.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  const named = [...words, ...values].flatMap((text) =>
    [...text.matchAll(DOLLAR)].flatMap(([, what]) => (what!.startsWith("(") ? [what!.slice(1, -1)] : [])),
  );
  const references = [...new Set(named)].filter((name) => known.has(name) || LIKE_A_VARIABLE.test(name));
  if (references.length === 0) return [];
  const list = references.map((name) => `$(${name})`).join(", ");
  return [`Kubernetes put the value of a variable for ${list}, Punctual does not: write the value itself`];
}

function environmentOf(container: Fields): { values: Record<string, string>; notes: string[]; decisions: string[] } {
  const values: Record<string, string> = {};
  const notes: string[] = [];
  const decisions: string[] = [];
  for (const { name, value, valueFrom } of listOf(container.env)) {
    if (typeof name !== "string") continue;
    const secret = isFields(valueFrom) && isFields(valueFrom.secretKeyRef) ? valueFrom.secretKeyRef : null;
    if (valueFrom === undefined) values[name] = unescaped(String(value ?? ""));
    else if (secret !== null && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      values[name] = `{{secrets.${name}}}`;
      notes.push(
        `save ${name} first (it was ${String(secret.key)} of the secret ${String(secret.name)}): punctual secrets set ${name}`,
      );
    } else
      decisions.push(
        `the variable ${name} came from the cluster (${Object.keys(inner({ valueFrom }, "valueFrom")).join(", ")}): write its value`,
      );
  }
  if (listOf(container.envFrom).length > 0)
    decisions.push("it took variables from a ConfigMap or Secret as a whole (envFrom): write them out");
  return { values, notes, decisions };
}

function tagsOf({ namespace, labels }: Fields): { tags?: string[] } {
  const pairs = Object.entries(isFields(labels) ? labels : {}).map(([key, value]) => `${key}:${String(value)}`);
  const tags = [...(typeof namespace === "string" ? [`namespace:${namespace}`] : []), ...pairs].filter((tag) =>
    TAG.test(tag),
  );
  return tags.length === 0 ? {} : { tags: tags.slice(0, 30) };
}

function inner(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isFields(value) ? value : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function seconds(value: unknown): string | null {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? `${value}s` : null;
}
