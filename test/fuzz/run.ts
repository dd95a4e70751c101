import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { lineOf, readInputs } from "./driver/corpus.js";
import type { SessionOptions, SessionReport } from "./driver/session.js";
import { loadTargets, type NamedTarget } from "./driver/targets.js";

// npm run fuzz -- [target…] [--seconds N] [--seed N] [--save] [--findings FOLDER] [--replay FILE] [--list]

const SESSION = fileURLToPath(new URL("driver/session.ts", import.meta.url));
/** Milliseconds after which a process that runs the same input is ended. */
const HANG = 20_000;
const HEAP_MEGABYTES = 1024;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string" },
    save: { type: "boolean", default: false },
    findings: { type: "string", default: "fuzz-findings" },
    replay: { type: "string" },
    list: { type: "boolean", default: false },
  },
});

type Progress = Exclude<SessionReport, { kind: "finding" }>;
type Targets = SessionOptions["targets"];

/** Totals over all targets. */
const total = { executions: 0, findings: 0 };
/** Findings by target. */
const findings = new Map<string, number>();

/** Fuzzes targets of one package. Continues with the next target if a process ends or hangs in one of them. */
async function fuzzPackage(targets: Targets, seed: number): Promise<void> {
  let left = targets;
  while (left.length > 0) left = left.slice(await fuzz(left, seed));
}

/** Fuzzes targets in a separate process. Resolves to the number of targets that have had their time. */
async function fuzz(targets: Targets, seed: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-fuzz-"));
  const inputFile = join(folder, "input");
  const options: SessionOptions = { targets, seed, inputFile, save: values.save };
  const child = fork(SESSION, [JSON.stringify(options)], {
    execArgv: ["--import=tsx", "--import=@cambium/test-utils/sources", `--max-old-space-size=${HEAP_MEGABYTES}`],
  });
  let done = 0;
  child.on("message", (report: SessionReport) => {
    if (report.kind === "finding") return reportFinding(report.target, report.reason, report.stack, report.input);
    console.log(line(report));
    if (report.kind === "done") {
      done++;
      total.executions += report.executions;
    }
  });
  const isHanging = watch(child, inputFile);
  const [status, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once("exit", (...result) => resolve(result));
  });
  if (done < targets.length) {
    const reason = isHanging() ? `no end after ${HANG / 1000} s` : `the process ended with ${status ?? signal}`;
    reportFinding(targets[done]!.name, reason, "", currentInput(inputFile)?.input ?? "");
    done++;
  }
  rmSync(folder, { recursive: true });
  return done;
}

/** Returns the input that a process has written before running it; undefined before the first one. */
function currentInput(inputFile: string): { execution: number; input: string } | undefined {
  const bytes = existsSync(inputFile) ? readFileSync(inputFile) : Buffer.alloc(0);
  if (bytes.length < 8) return undefined;
  return { execution: bytes.readUInt32LE(0), input: lineOf(bytes.subarray(8, 8 + bytes.readUInt32LE(4))) };
}

/** Ends a process that runs the same input for too long. The returned function returns whether it did. */
function watch(child: ChildProcess, inputFile: string): () => boolean {
  let seen = -1;
  let isHanging = false;
  const timer = setInterval(() => {
    const execution = currentInput(inputFile)?.execution ?? -1;
    isHanging = execution >= 0 && execution === seen;
    seen = execution;
    if (isHanging) child.kill("SIGKILL");
  }, HANG);
  child.once("exit", () => clearInterval(timer));
  return () => isHanging;
}

function line({ target, kind, executions, seconds, branches, inputs }: Progress): string {
  const rate = Math.round(executions / seconds);
  const found = findings.get(target) ?? 0;
  const parts = [
    `${executions} executions`,
    `${rate}/s`,
    `${branches} branches`,
    `${inputs} inputs`,
    `${found} findings`,
  ];
  return `${target.padEnd(36)} ${Math.round(seconds)} s  ${parts.join("  ")}${kind === "done" ? "  done" : ""}`;
}

/** Writes the input to a file and prints how to replay it. */
function reportFinding(target: string, reason: string, stack: string, input: string): void {
  total.findings++;
  findings.set(target, (findings.get(target) ?? 0) + 1);
  const name = `${target.replace("/", "-")}-${Date.now().toString(36)}`;
  mkdirSync(values.findings, { recursive: true });
  const path = join(values.findings, `${name}.txt`);
  const comments = `${reason}\n${stack}`.trimEnd().split("\n");
  writeFileSync(path, `${comments.map((text) => `# ${text}\n`).join("")}${input}\n`);
  console.log(
    `FINDING ${target}: ${reason}\n${stack}\n${input.slice(0, 400)}\nnpm run fuzz -- ${target} --replay ${path}\n`,
  );
}

/** Runs the inputs of a file, without the fuzzer. */
async function replay(target: string, file: string): Promise<void> {
  const all = await loadTargets();
  const named = all.find(({ name }) => name === target);
  if (named === undefined) return unknown(target, all);
  for (const input of readInputs(file)) await named.target.run(input);
  console.log("no violation");
}

/** Returns the targets whose names begin with one of the texts; all if there are no texts. */
function chosenOf(all: readonly NamedTarget[]): NamedTarget[] {
  return all.filter(({ name }) => positionals.length === 0 || positionals.some((text) => name.startsWith(text)));
}

/** Prints one line with the available targets. */
function unknown(text: string, all: readonly NamedTarget[]): void {
  console.error(`no target begins with "${text}"; there are ${all.map(({ name }) => name).join(", ")}`);
  process.exitCode = 1;
}

function packageOf(name: string): string {
  return name.split("/", 1)[0]!;
}

function shareOf({ share = 1 }: FuzzTarget): number {
  return share;
}

async function main(): Promise<void> {
  if (values.replay !== undefined) return replay(positionals[0] ?? "", values.replay);
  const all = await loadTargets();
  const targets = chosenOf(all);
  if (targets.length === 0) return unknown(positionals.join(", "), all);
  if (values.list) return console.log(targets.map(({ name }) => name).join("\n"));
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const shares = targets.reduce((sum, { target }) => sum + shareOf(target), 0);
  const seconds = Number(values.seconds) / shares;
  console.log(`${targets.length} targets, ${seconds.toFixed(1)} s for each share, --seed ${seed}`);
  const packages = new Set(targets.map(({ name }) => packageOf(name)));
  for (const name of packages) {
    const some = targets.filter((target) => packageOf(target.name) === name);
    await fuzzPackage(
      some.map(({ name, target }) => ({ name, seconds: seconds * shareOf(target) })),
      seed,
    );
  }
  console.log(`${total.executions} executions, ${total.findings} findings`);
  process.exitCode = total.findings > 0 ? 1 : 0;
}

await main();
process.exit();
