/** What there is to look at. */
export interface Place {
  job: string;
  execution: string;
}

/** Every page, in the views that differ most. A new page is a new line. */
const EVERYWHERE: readonly string[] = [
  "/",
  "/?window=7d",
  "/jobs",
  "/jobs?state=paused",
  "/jobs/new",
  "/jobs/new?as=json",
  "/executions",
  "/executions?state=failed",
  "/timeline",
  "/timeline?as=table",
  "/dead-letters",
  "/workers",
  "/settings/project",
  "/settings/members",
  "/settings/keys",
  "/settings/secrets",
  "/settings/signing-keys",
  "/settings/audit",
  "/settings/account",
];

const OF_A_JOB: readonly string[] = ["", "/edit", "?tab=executions", "?tab=versions", "?tab=definition", "?tab=code"];

/** Those of a thing are left out while there is none. */
export function pagesOf(place: Place | null): readonly string[] {
  if (place === null) return EVERYWHERE;
  return [...EVERYWHERE, ...OF_A_JOB.map((view) => `/jobs/${place.job}${view}`), `/executions/${place.execution}`];
}

const ONE_THING = /^\/(jobs\/[^/]+(\/edit)?|executions\/[^/]+)$/;

/** Whether there is a page at the address of a link. */
export function isPage(address: string): boolean {
  const [path = ""] = address.split("?");
  return path === "/settings" || path === "/docs" || ONE_THING.test(path) || EVERYWHERE.includes(path);
}
