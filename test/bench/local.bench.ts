import { createServer } from "node:net";
import { withFolder } from "@cambium/test-utils/node-cli";
import { HttpConnection } from "./local/connection.js";
import { benchInProcess } from "./local/in-process.js";
import { measure, median, type Print } from "./local/measurements.js";
import { type LocalChain, localChains, StartedChain } from "./local/started-chain.js";

const STARTS = 5;

/**
 * Measures development chains, each in a separate process: `node-cli dev`, then Anvil and Hardhat if `npm run
 * test:tools` has installed them. This chain in the process of a program, and each of the endpoints in `against`,
 * follow.
 */
export async function run(print: Print, { against = [] }: { against?: readonly string[] } = {}): Promise<void> {
  const rates = new Map<string, number>();
  for (const chain of localChains((line) => console.error(line))) {
    const peer = chain.name === "Cambium" ? undefined : chain.name;
    const printed: Print = (name, value, unit) => print(name, value, unit, peer);
    // Another program may lose a transaction; the next program is measured regardless.
    const rate = await bench(chain, printed).catch((error) => console.error(`${chain.name}: ${error.message}`));
    if (rate !== undefined) rates.set(chain.name, rate);
  }
  await benchInProcess(STARTS, rates.get("Cambium"), (name, ...figure) => print(`in the process: ${name}`, ...figure));
  for (const other of against) {
    await measure(
      () => new HttpConnection(new URL(other)),
      (name, value, unit) => print(name, value, unit, other),
    );
  }
}

async function bench(chain: LocalChain, print: Print): Promise<number> {
  const starts: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    await withChain(chain, async ({ startSeconds }) => starts.push(startSeconds));
  }
  print("start-up to the first answer", median(starts), "s");
  let rate = 0;
  await withChain(chain, async (started) => {
    print("memory after the start", started.memory(), "MB");
    rate = await measure(
      () => new HttpConnection(started.url),
      print,
      () => started.processorTime(),
    );
    print("memory at the end", started.memory(), "MB");
  });
  return rate;
}

async function withChain(chain: LocalChain, use: (started: StartedChain) => Promise<unknown>): Promise<void> {
  await withFolder(async (folder) => {
    const started = await StartedChain.start(chain, folder, await freePort());
    try {
      await use(started);
    } finally {
      await started.stop();
    }
  });
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address!.port : 0));
    });
  });
}
