import { spawn } from "node:child_process";

/**
 * Runs every test stage in order, shows their output as it comes, and ends with one line of totals.
 * A stage that fails does not stop the later ones: one run shows everything that is wrong.
 */
interface Stage {
  name: string;
  command: string[];
}

const mocha = (...files: string[]) => ["mocha", "--no-color", ...files];

const STAGES: readonly Stage[] = [
  { name: "lint", command: ["npm", "run", "--silent", "lint"] },
  { name: "unit", command: mocha("packages/*/test/**/*.test.ts") },
  { name: "conformance", command: mocha("test/conformance/**/*.test.ts") },
  { name: "random transactions", command: mocha("test/fuzz/**/*.test.ts") },
  { name: "end-to-end", command: mocha("test/e2e/**/*.test.ts") },
  { name: "fault injection", command: mocha("test/fault/**/*.test.ts") },
];

interface StageResult {
  passed: number;
  failed: number;
  skipped: number;
}

/** Counts as mocha prints them; a stage without counts is one test that passed or failed by its exit status. */
function readCounts(output: string, status: number): StageResult {
  const count = (word: string) => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}`, "m"))?.[1] ?? 0);
  const result = { passed: count("passing"), failed: count("failing"), skipped: count("pending") };
  if (result.passed + result.failed + result.skipped === 0) {
    return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  }
  if (status !== 0 && result.failed === 0) result.failed = 1;
  return result;
}

function run({ name, command }: Stage): Promise<StageResult> {
  console.log(`\n=== ${name}`);
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command[0] === "npm" ? "npm" : `node_modules/.bin/${command[0]}`, command.slice(1), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on("close", (status) => {
      const result = readCounts(output, status ?? 1);
      const seconds = ((Date.now() - started) / 1000).toFixed(0);
      console.log(`=== ${name}: ${result.failed === 0 ? "passed" : "FAILED"} in ${seconds} s`);
      resolve(result);
    });
  });
}

const wanted = process.argv.slice(2);
const total: StageResult = { passed: 0, failed: 0, skipped: 0 };
for (const stage of STAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const result = await run(stage);
  total.passed += result.passed;
  total.failed += result.failed;
  total.skipped += result.skipped;
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
