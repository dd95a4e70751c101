import { DURATIONS, forEach, gauge, histogram } from "@cambium/primitives";
import type { PeerId, Verdict } from "../interface.js";

/** Kinds of content in gossip messages. */
const CONTENTS = ["block", "announcement", "transactions"] as const;
export type GossipContent = (typeof CONTENTS)[number];

const LENGTH = forEach(CONTENTS, (content) =>
  gauge("cambium_gossip_queue_length", "Gossip messages that wait for validation or are being validated", { content }),
);
const TIME = forEach(CONTENTS, (content) =>
  histogram(
    "cambium_gossip_validation_seconds",
    "Time from the arrival of a gossip message to its verdict",
    DURATIONS,
    {
      content,
    },
  ),
);

/** A message to validate. */
export interface Validation {
  from: PeerId;
  /** Share of the capacity that the message occupies. */
  weight: number;
  validate(): Promise<Verdict>;
  /** Called once with the verdict: "ignore" if the message was dropped, or if validation failed or took too long. */
  done(verdict: Verdict): void;
}

export interface QueueOptions {
  content: GossipContent;
  capacity: number;
  /** Age of the message that is dropped when the queue is full. */
  drop: "oldest" | "newest";
  /** Number of validations at the same time. */
  parallel: number;
}

interface Waiting {
  validation: Validation;
  /** Time of arrival in milliseconds of `performance.now()`. */
  since: number;
}

/** Share of a queue that one peer may fill (`spec/07 §D.5`). */
const MAX_SHARE = 1 / 4;
const TIME_LIMIT = 30_000;

/** Bounded queue of gossip messages that wait for validation; no peer can fill it alone. */
export class ValidationQueue {
  private readonly waiting: Waiting[] = [];
  private readonly weights = new Map<PeerId, number>();
  private weight = 0;
  private running = 0;

  constructor(private readonly options: QueueOptions) {}

  get size(): number {
    return this.weight;
  }

  /** Whether a message of a peer fits; checked before anything of the message is stored. */
  hasRoom(from: PeerId, weight: number): boolean {
    const { capacity, drop } = this.options;
    if ((this.weights.get(from) ?? 0) + weight > capacity * MAX_SHARE) return false;
    return drop === "oldest" || this.weight + weight <= capacity;
  }

  add(validation: Validation): void {
    if (!this.hasRoom(validation.from, validation.weight)) {
      validation.done("ignore");
      return;
    }
    this.waiting.push({ validation, since: performance.now() });
    this.count(validation, 1);
    while (this.weight > this.options.capacity && this.waiting.length > 0) {
      const oldest = this.waiting.shift()!.validation;
      this.count(oldest, -1);
      oldest.done("ignore");
    }
    this.pump();
  }

  /** Drops all waiting messages. */
  clear(): void {
    for (const { validation } of this.waiting.splice(0)) this.count(validation, -1);
  }

  private pump(): void {
    while (this.running < this.options.parallel && this.waiting.length > 0) void this.run(this.waiting.shift()!);
  }

  /** Validates a message, which still occupies its share. */
  private async run({ validation, since }: Waiting): Promise<void> {
    this.running++;
    const verdict = await withinTime(validation.validate);
    this.running--;
    TIME[this.options.content].observe((performance.now() - since) / 1_000);
    this.count(validation, -1);
    validation.done(verdict);
    this.pump();
  }

  private count({ from, weight }: Validation, sign: 1 | -1): void {
    this.weight += sign * weight;
    LENGTH[this.options.content].add(sign);
    const own = (this.weights.get(from) ?? 0) + sign * weight;
    if (own === 0) this.weights.delete(from);
    else this.weights.set(from, own);
  }
}

async function withinTime(validate: () => Promise<Verdict>): Promise<Verdict> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Verdict>((resolve) => {
    timer = setTimeout(resolve, TIME_LIMIT, "ignore");
  });
  try {
    return await Promise.race([validate(), timeout]);
  } catch {
    return "ignore";
  } finally {
    clearTimeout(timer);
  }
}
