import type { Page } from "../contract/page.ts";
import type { NewProject, Project } from "../contract/project.ts";
import { everyItem, type PageQuery } from "./every-item.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** Wherever a method takes a project, its id and its name will do. */
export class ProjectsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: PageQuery = {}, options?: CallOptions): Promise<Page<Project>> {
    return this.#transport.json({ method: "GET", path: "/projects", query, options });
  }

  all(query: PageQuery = {}, options?: CallOptions): AsyncIterable<Project> {
    return everyItem(query, (page) => this.list(page, options));
  }

  get(project: string, options?: CallOptions): Promise<Project> {
    return this.#transport.json({ method: "GET", path: path(project), options });
  }

  create(input: NewProject, options?: CallOptions): Promise<Project> {
    return this.#transport.json({ method: "POST", path: "/projects", body: input, options });
  }

  rename(project: string, name: string, options?: CallOptions): Promise<Project> {
    return this.#transport.json({ method: "PATCH", path: path(project), body: { name }, repeatable: true, options });
  }

  async delete(project: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: path(project), options });
  }
}

function path(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}
