// `punctual jobs edit`: the job as YAML in the user's editor, or single fields by --set. What is saved replaces the
// version that was shown and no other: whoever changed the job meanwhile is not overwritten.

import { type JobInput, PunctualApiError, type PunctualClient } from "../../client/index.ts";
import type { Job } from "../../contract/job.ts";
import { canAsk, confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { ExpectedError } from "../expected-error.ts";
import { describeFailure } from "../failure.ts";
import { shortDiff } from "../output/diff.ts";
import { harmless } from "../output/text.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { EditedFile } from "./edited-file.ts";
import { jobYaml, parseJob, type WrittenJob, writableFields } from "./job-file.ts";
import { setField } from "./set-field.ts";

export interface EditFlags {
  set?: string[];
  yes?: boolean;
}

export async function editJob(session: Session, flags: EditFlags, name: string): Promise<number> {
  const client = await session.client();
  const job = await client.jobs.get(name);
  if (flags.set === undefined) return await editInEditor(session, client, job, flags);
  const fields = structuredClone(writableFields(job));
  for (const change of flags.set) setField(fields, change);
  const saved = await save(session, client, job, fields, { yes: true });
  return saved === "refused" ? EXIT.failed : EXIT.done;
}

/** Opens the editor again and again until the job is saved, or left as it was shown. */
async function editInEditor(session: Session, client: PunctualClient, job: Job, { yes }: EditFlags): Promise<number> {
  const file = new EditedFile(`${job.name}.yaml`);
  let text = jobYaml(writableFields(job));
  let head = `Job "${job.name}", version ${job.version}. Save and close to change it; leave it as it is to change nothing.`;
  let refusal: unknown = null;
  for (;;) {
    const edited = file.edit(head, text);
    if (edited === text) {
      file.remove();
      if (refusal !== null) throw refusal;
      session.out.note("Nothing was changed.");
      return EXIT.done;
    }
    text = edited;
    try {
      const saved = await save(session, client, job, parseJob(text, "the edited text"), {
        yes: yes === true || !canAsk(),
      });
      file.remove();
      return saved === "refused" ? EXIT.failed : EXIT.done;
    } catch (error) {
      if (!isMistakeInText(error))
        throw new ExpectedError(`${described(session, error)}\nYour text is kept in ${file.path}`);
      refusal = error;
      head = `It was not saved:\n${described(session, error)}\nCorrect it, or leave it as it is to give up.`;
    }
  }
}

async function save(
  session: Session,
  client: PunctualClient,
  job: Job,
  fields: WrittenJob,
  { yes }: { yes: boolean },
): Promise<"saved" | "unchanged" | "refused"> {
  const { out } = session;
  const diff = shortDiff(jobYaml(writableFields(job)), jobYaml(fields));
  if (diff.every((line) => line === "…")) {
    out.show(job, () => "");
    if (!out.json) out.note("Nothing was changed.");
    return "unchanged";
  }
  if (!out.json) for (const line of diff) out.note(painted(session, harmless(line)));
  if (!(await confirm(session, `Save "${job.name}"?`, { yes }))) return "refused";
  const saved = await client.jobs.put(job.id, fields as unknown as JobInput, { ifMatch: job.version });
  out.show(saved, () => "");
  if (!out.json) out.note(`Saved ${saved.name} as version ${saved.version}. Next: ${out.time(saved.nextFireAt)}`);
  return "saved";
}

function painted({ out }: Session, line: string): string {
  if (line.startsWith("+")) return out.paintNote("good", line);
  return line.startsWith("-") ? out.paintNote("bad", line) : line;
}

function isMistakeInText(error: unknown): boolean {
  if (error instanceof PunctualApiError) return error.status === 400 || error.code === "name_taken";
  return error instanceof UsageError;
}

function described(session: Session, error: unknown): string {
  return describeFailure(error, session.remote).text;
}
