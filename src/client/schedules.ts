import type { z } from "zod";
import type { previewInput, SchedulePreview } from "../contract/schedule-preview.ts";
import type { CallOptions, Transport } from "./transport.ts";

export interface PreviewInput extends Omit<z.input<typeof previewInput>, "from"> {
  /** Instants after this time; default: now. */
  from?: Date | string | undefined;
}

export class SchedulesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The coming instants of a schedule, the schedule in words, and what one may not expect of it. */
  preview(input: PreviewInput, options?: CallOptions): Promise<SchedulePreview> {
    return this.#transport.json({
      method: "POST",
      path: "/schedules/preview",
      body: input,
      repeatable: true,
      options,
    });
  }
}
