import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import type { Session } from "../session.ts";

export async function listProjects(session: Session): Promise<void> {
  const { out } = session;
  const client = await session.client();
  out.showList(
    await client.projects.list(),
    [
      { title: "NAME", of: ({ name }) => name, min: 16 },
      { title: "ID", of: ({ id }) => id },
      { title: "CREATED", of: ({ createdAt }) => out.time(createdAt) },
    ],
    { empty: "There are no projects." },
  );
}

export async function createProject(session: Session, _: object, name: string): Promise<void> {
  const { out } = session;
  const project = await (await session.client()).projects.create({ name });
  out.show(project, () => "");
  if (!out.json) out.note(`Created ${project.name}. Act in it with: --project ${project.name}`);
}

export async function renameProject(session: Session, _: object, name: string, newName: string): Promise<void> {
  const { out } = session;
  const project = await (await session.client()).projects.rename(name, newName);
  out.show(project, () => "");
  if (!out.json) out.note(`${name} is now called ${project.name}.`);
}

export async function deleteProject(session: Session, flags: { yes?: boolean }, name: string): Promise<number> {
  const client = await session.client();
  const project = await client.projects.get(name);
  if (!(await confirm(session, `Delete the project "${project.name}" with everything in it?`, flags)))
    return EXIT.failed;
  await client.projects.delete(project.id);
  session.out.note(`Deleted ${project.name}.`);
  return EXIT.done;
}
