import type { PeerId, Verdict } from "../interface.js";

/** Something that waits to be judged. */
export interface Judgement {
  from: PeerId;
  /** How much of the queue it takes. */
  weight: number;
  judge(): Promise<Verdict>;
  /** Called once with what became of it; "ignore" where it was dropped, threw or took too long. */
  done(verdict: Verdict): void;
}

export interface QueueOptions {
  capacity: number;
  /** Who has to go when it is full. */
  drop: "oldest" | "newest";
  /** Judged at the same time. */
  parallel: number;
}

/** One peer may fill a quarter of a queue (`spec/07 §D.5`). */
const SHARE = 4;
const TIME_LIMIT = 30_000;

/** Gossip that waits for its judges: bounded, and no peer can fill it alone. */
export class ValidationQueue {
  private readonly waiting: Judgement[] = [];
  private readonly weights = new Map<PeerId, number>();
  private weight = 0;
  private running = 0;

  constructor(private readonly options: QueueOptions) {}

  get size(): number {
    return this.weight;
  }

  /** Whether the peer has room left; asked before anything of the message is kept. */
  hasRoom(from: PeerId, weight: number): boolean {
    const { capacity, drop } = this.options;
    if ((this.weights.get(from) ?? 0) + weight > capacity / SHARE) return false;
    return drop === "oldest" || this.weight + weight <= capacity;
  }

  add(judgement: Judgement): void {
    if (!this.hasRoom(judgement.from, judgement.weight)) {
      judgement.done("ignore");
      return;
    }
    this.waiting.push(judgement);
    this.count(judgement, 1);
    while (this.weight > this.options.capacity && this.waiting.length > 0) {
      const oldest = this.waiting.shift()!;
      this.count(oldest, -1);
      oldest.done("ignore");
    }
    this.pump();
  }

  /** Nothing that waits is judged any more. */
  clear(): void {
    for (const judgement of this.waiting.splice(0)) this.count(judgement, -1);
  }

  private pump(): void {
    while (this.running < this.options.parallel && this.waiting.length > 0) void this.run(this.waiting.shift()!);
  }

  /** What is being judged still takes its place. */
  private async run(judgement: Judgement): Promise<void> {
    this.running++;
    const verdict = await withinTime(judgement.judge);
    this.running--;
    this.count(judgement, -1);
    judgement.done(verdict);
    this.pump();
  }

  private count({ from, weight }: Judgement, sign: 1 | -1): void {
    this.weight += sign * weight;
    const own = (this.weights.get(from) ?? 0) + sign * weight;
    if (own === 0) this.weights.delete(from);
    else this.weights.set(from, own);
  }
}

async function withinTime(judge: () => Promise<Verdict>): Promise<Verdict> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Verdict>((resolve) => {
    timer = setTimeout(resolve, TIME_LIMIT, "ignore");
  });
  try {
    return await Promise.race([judge(), timeout]);
  } catch {
    return "ignore";
  } finally {
    clearTimeout(timer);
  }
}
