import { setImmediate as nextTurn } from "node:timers/promises";
import type { Timers } from "@cambium/primitives";

/** A refresh always replaces the current template, an improvement only if it pays. */
export type Purpose = "refresh" | "improvement";

export interface BuildScheduleParts {
  timers: Timers;
  /** Builds and serves a template. Aborted by a new best block and by {@link BuildSchedule.stop}. Never rejects. */
  build(purpose: Purpose, signal: AbortSignal): Promise<void>;
}

interface Idle {
  kind: "idle";
}

/** A delay before an improvement. */
interface Waiting {
  kind: "waiting";
  cancel(): void;
}

/** A refresh at the next turn of the event loop. */
interface Due {
  kind: "due";
  /** Resolves once the build has begun, or waits for the one in progress. */
  requested: Promise<void>;
}

interface Requested {
  kind: "requested";
  purpose: Purpose;
}

interface Building {
  kind: "building";
  controller: AbortController;
  /** Resolves after this build and those requested until its end. */
  done: Promise<void>;
  /** State after the build. */
  next: Idle | Waiting | Due | Requested;
}

type State = Idle | Waiting | Due | Building;

const IDLE: Idle = { kind: "idle" };

/** Decides when templates are built: one at a time. All requests before a build begins share it. */
export class BuildSchedule {
  private state: State = IDLE;

  constructor(private readonly parts: BuildScheduleParts) {}

  /** Resolves when the build for a new best block has been requested; undefined if there is none. */
  get due(): Promise<void> | undefined {
    return this.next.kind === "due" ? this.next.requested : undefined;
  }

  /** Resolves after the build in progress and those that follow it immediately; undefined if there is none. */
  get building(): Promise<void> | undefined {
    return this.state.kind === "building" ? this.state.done : undefined;
  }

  /** Builds now, or after the build in progress. */
  refresh(): void {
    if (this.next.kind !== "due") this.request("refresh");
  }

  /** Aborts the build in progress; builds on the new best block once all listeners have handled it. */
  refreshOnBest(): void {
    this.abort();
    const { next } = this;
    if (next.kind === "due") return;
    if (next.kind === "waiting") next.cancel();
    const requested = nextTurn().then(() => {
      if (this.next === due) this.request("refresh");
    });
    const due: Due = { kind: "due", requested };
    this.setNext(due);
  }

  /** Builds an improvement after a delay in milliseconds, unless a build is scheduled anyway. */
  improveAfter(delay: number): void {
    if (this.next.kind !== "idle") return;
    const cancel = this.parts.timers.after(delay, () => this.request("improvement"));
    this.setNext({ kind: "waiting", cancel });
  }

  /** Aborts the build in progress, and cancels scheduled ones. */
  stop(): void {
    this.abort();
    if (this.next.kind === "waiting") this.next.cancel();
    this.setNext(IDLE);
  }

  private get next(): Building["next"] {
    return this.state.kind === "building" ? this.state.next : this.state;
  }

  private setNext(next: Idle | Waiting | Due): void {
    if (this.state.kind === "building") this.state.next = next;
    else this.state = next;
  }

  private abort(): void {
    if (this.state.kind === "building") this.state.controller.abort();
  }

  private request(purpose: Purpose): void {
    const { state, next } = this;
    if (next.kind === "waiting") next.cancel();
    if (state.kind !== "building") this.begin(purpose);
    else if (next.kind !== "requested" || purpose === "refresh") state.next = { kind: "requested", purpose };
  }

  private begin(purpose: Purpose): void {
    const controller = new AbortController();
    const building: Building = { kind: "building", controller, done: Promise.resolve(), next: IDLE };
    this.state = building;
    building.done = this.run(building, purpose);
  }

  private async run(building: Building, first: Purpose): Promise<void> {
    for (let purpose = first; ; ) {
      await this.parts.build(purpose, building.controller.signal);
      const { next } = building;
      if (next.kind !== "requested") {
        this.state = next;
        return;
      }
      ({ purpose } = next);
      building.next = IDLE;
      building.controller = new AbortController();
    }
  }
}
