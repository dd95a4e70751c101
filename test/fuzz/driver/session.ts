import { openSync, writeSync } from "node:fs";
import { register } from "node:module";
import { getHeapStatistics } from "node:v8";
import { RandomChoice } from "../random-choice.js";
import { type Collection, lineOf, readCollection, writeCollection } from "./corpus.js";
import { Coverage, resetBranches, takenBranches } from "./coverage.js";
import { Mutator } from "./mutation.js";
import { loadTargets, type NamedTarget, wordsOf } from "./targets.js";

// The process that fuzzes targets of one package, one after the other. It writes each input to a file before it runs
// it: if the process hangs or ends, that input is known. It sends its findings to its parent.

/** First parameter from the parent, in JSON. */
export interface SessionOptions {
  targets: readonly { name: string; seconds: number }[];
  seed: number;
  /** File of the running input. */
  inputFile: string;
  /** Whether to replace the corpus by the smallest inputs with the same coverage. */
  save: boolean;
}

/** Messages of a session. */
type Report =
  | { kind: "progress" | "done"; executions: number; branches: number; inputs: number; seconds: number }
  | { kind: "finding"; reason: string; stack: string; input: string };

export type SessionReport = Report & { target: string };

/** Processor time of one input, in milliseconds, and bytes outside of the heap that it may keep per byte of input. */
const TIME_LIMIT = 1_000;
const MEMORY_LIMIT = 64 * 1024 * 1024;
const MEMORY_PER_BYTE = 200;
/** Maximum number of characters in a corpus file; the repository has one for each target. */
const CORPUS_LIMIT = 12_000;
const MAX_REPORTS = 20;

/** Fuzzes one target. */
class Session {
  private readonly coverage = new Coverage();
  private readonly inputs: Uint8Array[] = [];
  private readonly reported = new Set<string>();
  private executions = 0;
  private readonly start = performance.now();

  constructor(
    private readonly options: SessionOptions,
    private readonly named: NamedTarget,
    private readonly inputFile: number,
  ) {}

  async run(seconds: number): Promise<void> {
    const { name, target } = this.named;
    const { seed, save } = this.options;
    const random = new RandomChoice(seed);
    const collections: Collection[] = ["corpus", "regressions"];
    const known = [...(await target.seeds()), ...collections.flatMap((collection) => readCollection(name, collection))];
    for (const input of known.length > 0 ? known : [new Uint8Array(0)]) {
      await this.execute(input);
      this.inputs.push(input);
    }
    const mutator = new Mutator(random, wordsOf(target), target.maxLength ?? 4096);
    const end = performance.now() + seconds * 1000;
    let nextReport = performance.now() + 10_000;
    for (let now = 0; now < end; now = performance.now()) {
      const input = mutator.next(this.recent(random));
      if ((await this.execute(input)) && input.length <= 4096) this.inputs.push(input);
      // Lets timers and signals of the target run.
      if (this.executions % 1024 === 0) await new Promise(setImmediate);
      if (now > nextReport) {
        nextReport = now + 10_000;
        this.send({ kind: "progress", ...this.state() });
      }
    }
    if (save) await this.saveCorpus();
    // The process may exit once the message is sent.
    await new Promise((resolve) => process.send?.({ kind: "done", target: name, ...this.state() }, resolve));
  }

  /** Returns the inputs to mutate: in half of the cases the latest ones, which lead to new code. */
  private recent(random: RandomChoice): readonly Uint8Array[] {
    return random.chance(0.5) ? this.inputs : this.inputs.slice(-16);
  }

  /** Whether the input covers anything new. */
  private async execute(input: Uint8Array): Promise<boolean> {
    this.executions++;
    const header = Buffer.alloc(8);
    header.writeUInt32LE(this.executions, 0);
    header.writeUInt32LE(input.length, 4);
    writeSync(this.inputFile, header, 0, 8, 0);
    writeSync(this.inputFile, input, 0, input.length, 8);
    resetBranches();
    const memory = getHeapStatistics().external_memory;
    const start = performance.now();
    try {
      const running = this.named.target.run(input);
      if (running !== undefined) await running;
    } catch (error) {
      this.report("error", error, input);
    }
    if (performance.now() - start > TIME_LIMIT) await this.measure(input);
    const kept = getHeapStatistics().external_memory - memory;
    if (kept > MEMORY_LIMIT + MEMORY_PER_BYTE * input.length) this.report(`${kept} bytes of memory`, undefined, input);
    return this.coverage.add();
  }

  /** Reports an input whose second run also takes long: the first may have waited for the processor. */
  private async measure(input: Uint8Array): Promise<void> {
    const before = process.cpuUsage();
    try {
      await this.named.target.run(input);
    } catch {
      // The first run has reported the error.
    }
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1000;
    if (milliseconds > TIME_LIMIT)
      this.report(`slow: ${Math.round(milliseconds)} ms for ${input.length} bytes`, undefined, input);
  }

  /** Reports a finding, once for each place. */
  report(reason: string, error: unknown, input: Uint8Array = new Uint8Array(0)): void {
    const stack = error instanceof Error ? `${error.stack ?? error}${causesOf(error)}` : String(error ?? "");
    const place = /packages\/.*?:\d+/.exec(stack)?.[0] ?? stack.slice(0, 100);
    const key = `${reason.replace(/\d+/g, "")} ${error instanceof Error ? error.name : ""} ${place}`;
    if (this.reported.has(key) || this.reported.size >= MAX_REPORTS) return;
    this.reported.add(key);
    this.send({ kind: "finding", reason, stack, input: lineOf(input) });
  }

  private send(report: Report): void {
    process.send?.({ target: this.named.name, ...report });
  }

  private state() {
    const seconds = (performance.now() - this.start) / 1000;
    return { executions: this.executions, branches: this.coverage.branches, inputs: this.inputs.length, seconds };
  }

  /** Saves the shortest inputs that take every branch that any input takes, up to the limit of the file. */
  private async saveCorpus(): Promise<void> {
    const covered = new Set<number>();
    const kept: Uint8Array[] = [];
    let characters = 0;
    for (const input of this.inputs.toSorted((a, b) => a.length - b.length)) {
      resetBranches();
      try {
        await this.named.target.run(input);
      } catch {
        continue;
      }
      const branches = takenBranches().filter((branch) => !covered.has(branch));
      const { length } = lineOf(input);
      if (branches.length === 0 || characters + length > CORPUS_LIMIT) continue;
      characters += length;
      for (const branch of branches) covered.add(branch);
      kept.push(input);
    }
    writeCollection(this.named.name, "corpus", kept);
  }
}

function causesOf({ cause }: Error): string {
  return cause instanceof Error ? `\ncaused by ${cause.stack}${causesOf(cause)}` : "";
}

const options = JSON.parse(process.argv[2]!) as SessionOptions;
register("./instrumentation.js", import.meta.url);
const [packageName] = options.targets[0]!.name.split("/");
const loaded = new Map((await loadTargets(packageName)).map((named) => [named.name, named]));
const inputFile = openSync(options.inputFile, "w");
let session: Session | undefined;
process.on("unhandledRejection", (error) => session?.report("unhandled rejection", error));
process.on("uncaughtException", (error) => session?.report("uncaught exception", error));
for (const { name, seconds } of options.targets) {
  session = new Session(options, loaded.get(name)!, inputFile);
  await session.run(seconds);
}
process.exit();
