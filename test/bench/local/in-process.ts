import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type DevelopmentChain, startDevelopmentChain } from "@cambium/dev";
import { ProviderConnection } from "./connection.js";
import { measure, median, type Print } from "./measurements.js";

/** A program that starts a chain, asks for its id, and prints the milliseconds of both, and of the start alone. */
const PROGRAM = `
const start = performance.now();
const { startDevelopmentChain } = await import("@cambium/dev");
const imported = performance.now();
const chain = await startDevelopmentChain();
await chain.provider.request({ method: "eth_chainId" });
const end = performance.now();
await chain.stop();
console.log(JSON.stringify([end - start, end - imported]));
`;
/** A package that can import `@cambium/dev`. */
const FOLDER = fileURLToPath(new URL("../../../packages/hardhat", import.meta.url));

/**
 * Measures a development chain in the process of a program. Prints it next to the transactions a second of the same
 * chain over HTTP, if they were measured.
 */
export async function benchInProcess(starts: number, overHttp: number | undefined, print: Print): Promise<void> {
  const first = Array.from({ length: starts }, firstStart);
  print("import and start-up of the first chain", median(first.map(([whole]) => whole)) / 1000, "s");
  print("start-up of the first chain", median(first.map(([, start]) => start)), "ms");
  const chains: DevelopmentChain[] = [];
  const times: number[] = [];
  for (let i = 0; i < starts; i++) {
    const start = performance.now();
    chains.push(await startDevelopmentChain());
    times.push(performance.now() - start);
  }
  print("start-up of a further chain", median(times), "ms");
  for (const chain of chains.slice(1)) await chain.stop();
  const [chain] = chains;
  const processorTime = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
  const rate = await measure(() => new ProviderConnection(chain!.provider), print, processorTime);
  if (overHttp !== undefined)
    print("transactions with receipt, one sender, compared with HTTP", rate / overHttp, "times");
  await chain!.stop();
}

function firstStart(): [whole: number, start: number] {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    cwd: FOLDER,
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}
