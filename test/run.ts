import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { FULL, type Stage, type Track, USUAL, USUAL_DEEP } from "./stages.js";

/**
 * test/run.ts [--full] [stage…]: runs every stage, or those named, and ends with one line of totals. Tracks run at the
 * same time; the output of a stage is printed when it ends. A failing stage does not stop the later ones, so that one
 * run shows every failure, again at the end.
 */
interface StageResult {
  passed: number;
  failed: number;
  skipped: number;
}

/** Returns the counts that mocha prints. A stage without counts is one test, whose result is its exit status. */
function readCounts(output: string, status: number): StageResult {
  const count = (word: string) => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}`, "m"))?.[1] ?? 0);
  const result = { passed: count("passing"), failed: count("failing"), skipped: count("pending") };
  if (result.passed + result.failed + result.skipped === 0) {
    return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  }
  if (status !== 0 && result.failed === 0) result.failed = 1;
  return result;
}

/** Returns mocha's output from the line "N failing" on; if there is none, the end of the output. */
function failuresIn(output: string): string {
  const start = output.search(/^\s*\d+ failing$/m);
  return start >= 0 ? output.slice(start) : output.slice(-REPEATED_CHARACTERS);
}

function run({ name, program, parameters, env }: Stage): Promise<StageResult> {
  console.log(`=== ${name}: started`);
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(program === "npm" ? program : `node_modules/.bin/${program}`, parameters, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, SEED, ...env },
    });
    let output = "";
    const take = (chunk: string) => (output += chunk);
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.on("close", (status) => {
      const result = readCounts(output, status ?? 1);
      const seconds = ((Date.now() - started) / 1000).toFixed(0);
      console.log(`${output}=== ${name}: ${result.failed === 0 ? "passed" : "FAILED"} in ${seconds} s`);
      if (result.failed > 0) failures.push(`=== failures of ${name}\n${failuresIn(output).trim()}\n`);
      resolve(result);
    });
  });
}

async function follow(track: Track): Promise<void> {
  for (const stage of track) {
    if (names.length > 0 && !names.includes(stage.name)) continue;
    const result = await run(stage);
    total.passed += result.passed;
    total.failed += result.failed;
    total.skipped += result.skipped;
  }
}

/** Number of characters of a failing stage that are printed again if it printed no list of failures. */
const REPEATED_CHARACTERS = 4_000;
const failures: string[] = [];
const SEED = process.env.SEED ?? String(randomInt(2 ** 31));
const names = process.argv.slice(2).filter((parameter) => parameter !== "--full");
const total: StageResult = { passed: 0, failed: 0, skipped: 0 };
console.log(`random tests: SEED=${SEED}`);
const isFull = process.argv.includes("--full");
await Promise.all((isFull ? USUAL_DEEP : USUAL).map(follow));
if (isFull) await Promise.all(FULL.map(follow));
for (const text of failures) console.log(`\n${text}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
