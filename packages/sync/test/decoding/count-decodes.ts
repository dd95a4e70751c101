import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChainEvm, openThreadedChain, type ThreadedChain } from "@cambium/chain";
import { emptyChain, Mine, network, transfer } from "@cambium/test-utils/mined-chains";
import { TransactionPool } from "@cambium/txpool";
import { GossipService } from "../../src/index.js";
import { bench, eventually, stopAll } from "../engine-support.js";
import { FakeNetwork } from "../gossip/support.js";
import { takeCounts } from "./counting.js";

/** Blocks imported before counting starts: they open files and fill caches. */
const FIRST = 5;
const COUNTED = 10;
const now = () => Date.now() / 1000;
const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A node's chain, pool and gossip. */
function started(chain: ThreadedChain) {
  const pool = new TransactionPool({ chain, evm: createChainEvm(network), now });
  const engine = { isFarBehind: () => false, blockWanted: () => undefined };
  const gossip = new GossipService({ chain, pool, network: new FakeNetwork("me"), engine, now, logger });
  gossip.start();
  return { pool, gossip };
}

async function gossiped(chain: ThreadedChain, blocks: readonly Uint8Array[]): Promise<void> {
  const { gossip, pool } = started(chain);
  for (const [index, bytes] of blocks.entries()) {
    if (index === FIRST) takeCounts();
    assert.equal(await gossip.block(bytes, "peer"), "accept");
    await eventually(() => chain.best().header.number === index + 1);
  }
  gossip.stop();
  pool.close();
}

async function synchronised(chain: ThreadedChain, other: Awaited<ReturnType<typeof emptyChain>>): Promise<void> {
  const { gossip, pool } = started(chain);
  const { engine, network: peers, reaches } = bench(chain);
  peers.add("honest", other);
  takeCounts();
  engine.start();
  await reaches(other);
  await stopAll();
  gossip.stop();
  pool.close();
}

async function withChain(use: (chain: ThreadedChain) => Promise<void>): Promise<ReturnType<typeof takeCounts>> {
  const location = mkdtempSync(join(tmpdir(), "cambium-decoding-"));
  const chain = await openThreadedChain({ network, location });
  try {
    await use(chain);
    return takeCounts();
  } finally {
    await chain.close();
    rmSync(location, { recursive: true });
  }
}

const other = await emptyChain();
const mine = new Mine(other);
const blocks: Uint8Array[] = [];
for (let i = 0; i < FIRST + COUNTED; i++) {
  mine.transactions = [transfer(BigInt(i))];
  blocks.push((await mine.block()).encode());
}
const gossip = await withChain((chain) => gossiped(chain, blocks));
const synchronisation = await withChain((chain) => synchronised(chain, other));
console.log(JSON.stringify({ gossip, synchronisation, counted: COUNTED, all: blocks.length }));
