import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DEVELOPMENT_LIMITS } from "@cambium/networking";
import { TestNodes } from "@cambium/test-utils/peers/network-nodes";
import { sleep } from "@cambium/test-utils/rpc-client";

type Print = (name: string, value: number, unit: string) => void;

/** Number of peers on each wire. */
const PEERS = 50;
/** Milliseconds until the work of the connection set-up is over, and milliseconds of the measurement. */
const SETTLING = 20_000;
const MEASUREMENT = 60_000;
const limits = { ...DEVELOPMENT_LIMITS, maximum: 400, target: 0, perAddress: 400, perSubnet: 400 };

/** Runs a node in a separate process: prints its addresses, then the share of a core that it uses with its peers. */
async function hub(): Promise<void> {
  const nodes = new TestNodes();
  const { network } = await nodes.start({ wires: ["libp2p", "rlpx"], limits });
  console.log(JSON.stringify(network.listenAddresses()));
  while (network.peers().length < 2 * PEERS) await sleep(100);
  await sleep(SETTLING);
  const before = process.cpuUsage();
  await sleep(MEASUREMENT);
  const { user, system } = process.cpuUsage(before);
  if (network.peers().length < 2 * PEERS) throw new Error("some peers disconnected");
  console.log((user + system) / 1000 / MEASUREMENT);
}

/** Measures the processor time of an idle node that is connected to many peers on both wires. */
export async function run(print: Print): Promise<void> {
  const child = spawn(process.execPath, ["--import=tsx", fileURLToPath(import.meta.url)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const addresses: string[] = JSON.parse((await lines.next()).value);
  const nodes = new TestNodes();
  try {
    for (const address of [addresses[0]!, addresses.at(-1)!]) {
      const wires = [address.startsWith("enode:") ? "rlpx" : "libp2p"] as const;
      for (let i = 0; i < PEERS; i++) {
        const { network } = await nodes.start({ wires: [...wires], listen: [], limits });
        await network.dial(address);
      }
    }
    const share = Number((await lines.next()).value);
    await once(child, "close");
    print(`of a core with ${PEERS} peers on each wire at rest`, share * 100, "%");
  } finally {
    child.kill();
    await nodes.end();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await hub();
  process.exit(0);
}
