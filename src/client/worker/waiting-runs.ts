import { START_WITHIN_MS } from "../../core/start-within.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Slots } from "./slots.ts";

/** How often it is looked for what has waited for too long. */
const LOOK_MS = 50;

export interface WaitingRunsEvents {
  begin(run: ActiveRun): void;
  /** It has waited for too long, because what runs takes longer than what ran before. */
  giveBack(run: ActiveRun): void;
}

/** Runs of one handler that wait for a slot. */
export class WaitingRuns {
  readonly #slots: Slots;
  readonly #events: WaitingRunsEvents;
  #runs: ActiveRun[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(slots: Slots, events: WaitingRunsEvents) {
    this.#slots = slots;
    this.#events = events;
  }

  add(run: ActiveRun): void {
    this.#slots.wait();
    this.#runs.push(run);
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS);
  }

  beginNext(): void {
    while (this.#slots.hasFree && this.#runs.length > 0 && age(this.#runs[0]!) < START_WITHIN_MS) {
      this.#slots.waitNoMore();
      this.#events.begin(this.#runs.shift()!);
    }
  }

  /** Nothing begins any more. */
  giveBackAll(): void {
    this.#giveBack(() => true);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    this.#timer = undefined;
    // By the next look they would be too late.
    this.#giveBack((run) => age(run) > START_WITHIN_MS - LOOK_MS);
    if (this.#runs.length > 0) this.#timer = setTimeout(() => this.#look(), LOOK_MS);
  }

  #giveBack(wanted: (run: ActiveRun) => boolean): void {
    const given: ActiveRun[] = [];
    const left: ActiveRun[] = [];
    for (const run of this.#runs) (wanted(run) ? given : left).push(run);
    this.#runs = left;
    for (const run of given) {
      this.#slots.waitNoMore();
      this.#events.giveBack(run);
    }
  }
}

function age({ arrivedAt }: ActiveRun): number {
  return performance.now() - arrivedAt;
}
