import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChainEvm, localBlock, ThreadedChain } from "@cambium/chain";
import { RlpxGossip } from "@cambium/networking/testing";
import { emptyChain, Mine, network, transfer } from "@cambium/test-utils/mined-chains";
import { TransactionPool } from "@cambium/txpool";
import { Block, Transaction } from "@cambium/types";
import { GossipService } from "../../src/index.js";
import { bench, eventually, stopAll } from "../engine-support.js";
import { FakeNetwork } from "../gossip/support.js";
import { takeCounts } from "./counting.js";

/** Number of blocks imported before counting starts: they open files and fill caches. */
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

/** Blocks of a deployed peer. */
async function gossiped(chain: ThreadedChain, blocks: readonly Uint8Array[]): Promise<void> {
  const { gossip, pool } = started(chain);
  const peer = { id: "peer", markKnown: () => true };
  const wire = new RlpxGossip({
    network,
    isDevelopment: true,
    peers: () => [],
    maxBlockBytes: () => 1024 * 1024,
    report: (_peer, event) => assert.fail(event),
    clock: Date.now,
    logger,
  });
  wire.setHandlers(gossip);
  for (const [index, block] of blocks.entries()) {
    if (index === FIRST) takeCounts();
    wire.receive({ type: "block", block }, peer as never);
    await eventually(() => chain.best().header.number === index + 1);
  }
  gossip.stop();
  pool.close();
}

/** Adds each transaction to the pool before its block arrives, in turn by gossip and from the own miner. */
async function pooled(chain: ThreadedChain, blocks: readonly Block[]): Promise<void> {
  const { gossip, pool } = started(chain);
  for (const [index, { header, transactions, uncles }] of blocks.entries()) {
    if (index === FIRST) takeCounts();
    const own = transactions.slice(0, -1).map(({ encoded }) => Transaction.decode(encoded));
    for (const { kind } of pool.addAll(own, { local: false })) assert.equal(kind, "pending");
    const block = new Block(header, [...own, transactions.at(-1)!], uncles);
    if (index % 2 === 0) assert.equal((await gossip.block(block.encode(), "peer")).verdict, "accept");
    else await chain.import(localBlock(block));
    await eventually(() => chain.best().header.number === index + 1);
    assert.equal(pool.counts().pending, 0);
    for (const { hasSender } of chain.blockByNumber(index + 1)!.transactions) assert(hasSender);
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
  const chain = await ThreadedChain.open({ network, location });
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
const blocks: Block[] = [];
for (let i = 0; i < FIRST + COUNTED; i++) {
  mine.transactions = [transfer(BigInt(i))];
  blocks.push(await mine.block());
}
const encoded = blocks.map((block) => block.encode());
const gossip = await withChain((chain) => gossiped(chain, encoded));
const pool = await withChain((chain) => pooled(chain, blocks));
const synchronisation = await withChain((chain) => synchronised(chain, other));
console.log(JSON.stringify({ gossip, pool, synchronisation, counted: COUNTED, all: blocks.length }));
