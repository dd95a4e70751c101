import assert from "node:assert/strict";
import { type Json, sleep } from "@cambium/test-utils/rpc-client";
import { blocksFrom, receiptsOf } from "./chain-view.js";
import { type InteropNode, peerCount, tipOf } from "./interop-node.js";
import { freshWork, mineMerged, submitSolution } from "./merged-mining.js";
import { MixedNetwork, residentMemory } from "./mixed-network.js";
import { useNodes } from "./node-group.js";
import { Senders } from "./senders.js";
import { waitFor } from "./wait-for.js";

const PROPAGATED_BLOCKS = 60;
/** Limit of the median propagation time, in milliseconds. */
const MEDIAN_LIMIT = 1000;
const ACCOUNTS = 50;
const TRANSACTIONS = 500;
const SECONDS_TO_MINE = 120;
/** Numbers of blocks of the two halves of the partitioned network. */
const SEPARATE_BLOCKS = [20, 23] as const;
/** Interval of blocks that have a sibling. */
const UNCLE_INTERVAL = 3;
const BLOCKS_AFTER_PARTITION = 8;
const SECONDS_TO_HEAL = 60;
/** Number of connections of each node. */
const CONNECTIONS = 3;
const SOAK_MINUTES = Number(process.env.SOAK_MINUTES ?? 2);
/** Milliseconds between two blocks, and two transactions, of the soak. */
const BLOCK_INTERVAL = 2000;
const TRANSACTION_INTERVAL = 500;
/** Share of the soak after which the memory of nodes is settled. */
const WARM_UP = 0.3;
/** Growth factor of a node's memory that is no leak. */
const MEMORY_GROWTH = 1.25;

/**
 * Counters of `sco_peerList` that are 0 for a peer without faults. Time-outs, and late answers, show only that the
 * machine is busy.
 */
const FAULTS = [
  "failedHandshakes",
  "invalidNetworks",
  "repeatedMessages",
  "invalidBlocks",
  "invalidTransactions",
  "invalidMessages",
  "invalidHeader",
  "punishments",
] as const;

describe("a network of deployed nodes and of nodes of this project", function () {
  this.timeout((15 + 2 * SOAK_MINUTES) * 60_000);
  const nodes = useNodes();
  const network = new MixedNetwork(nodes);
  const senders = new Senders(ACCOUNTS);
  const figures: string[] = [];

  after(() => {
    network.close();
    for (const line of figures) console.log(`    ${line}`);
  });

  function anyOf<T>(items: readonly T[]): T {
    return items[Math.floor(Math.random() * items.length)]!;
  }

  /** Asserts that all nodes have the same chain and receipts, with each transaction in one block. */
  async function assertMinedOnce(hashes: readonly string[]): Promise<void> {
    const [chain, ...others] = await Promise.all(network.all.map((node) => blocksFrom(node, 1)));
    for (const other of others) assert.deepEqual(other, chain);
    const mined = chain!.flatMap(({ transactions }) => transactions);
    const wanted = new Set(hashes);
    assert.deepEqual(mined.filter((hash) => wanted.has(hash)).sort(), [...hashes].sort());
    const [receipts, ...same] = await Promise.all(network.all.map((node) => receiptsOf(node, hashes)));
    for (const other of same) assert.deepEqual(other, receipts);
    assert(receipts!.every((receipt) => receipt?.status === "0x1"));
  }

  /** Mines at random nodes until transactions are mined and all nodes agree. */
  async function mineAll(hashes: readonly string[]): Promise<void> {
    let missing = hashes;
    const mineNext = async () => {
      await mineMerged(anyOf(network.all));
      await network.agree();
      const receipts = await receiptsOf(network.cambium[0]!, missing);
      missing = missing.filter((_, i) => receipts[i] === undefined);
      return missing.length;
    };
    await waitFor(`${hashes.length} transactions are mined`, mineNext, (count) => count === 0, SECONDS_TO_MINE);
  }

  it("connects", () => network.start());

  it(`passes blocks on between the clients in less than ${MEDIAN_LIMIT} ms (median)`, async () => {
    const { deployed, cambium } = network;
    const kinds = { deployed, cambium };
    const times = new Map<string, number[]>();
    for (let i = 0; i < PROPAGATED_BLOCKS; i++) {
      const from = i % 2 === 0 ? "deployed" : "cambium";
      const miner = anyOf<InteropNode>(kinds[from]);
      const work = await freshWork(miner);
      const began = performance.now();
      const hash = await submitSolution(miner, work);
      const arrivals = Object.entries(kinds).flatMap(([to, followers]) => {
        return followers
          .filter((node) => node !== miner)
          .map(async (node) => {
            while ((await tipOf(node)).hash !== hash) {
              assert(performance.now() < began + 60_000, `${node.name} does not have block ${hash} of ${miner.name}`);
              await sleep(10);
            }
            const direction = `from ${from} to ${to}`;
            times.set(direction, [...(times.get(direction) ?? []), performance.now() - began]);
          });
      });
      await Promise.all(arrivals);
    }
    for (const [direction, all] of times) {
      const sorted = all.sort((a, b) => a - b);
      const at = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))]!);
      figures.push(`blocks ${direction}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, maximum ${at(1)} ms`);
      assert(at(0.5) < MEDIAN_LIMIT, `${direction}: ${at(0.5)} ms`);
    }
  });

  it("mines transactions that fund accounts", async () => {
    const [first] = network.cambium;
    await mineAll(await senders.fund(first!));
    const creation = await senders.createContract(network.deployed[0]!);
    await mineAll([creation]);
    await assertMinedOnce([creation]);
  });

  it(`mines each of ${TRANSACTIONS} transactions once`, async () => {
    const began = performance.now();
    const hashes: string[] = [];
    for (let round = 0; round < TRANSACTIONS / ACCOUNTS; round++) {
      const sent = Array.from({ length: ACCOUNTS }, (_, sender) => senders.send(anyOf(network.all), sender));
      hashes.push(...(await Promise.all(sent)));
    }
    figures.push(`${hashes.length} transactions sent in ${Math.round(performance.now() - began)} ms`);
    await mineAll(hashes);
    figures.push(`… and mined after ${Math.round(performance.now() - began)} ms`);
    await assertMinedOnce(hashes);
  });

  /** Mines blocks in a half. Some heights have two blocks, the second one by a node of the other client. */
  async function mineApart(half: readonly InteropNode[], blocks: number): Promise<string[]> {
    const hashes: string[] = [];
    for (let i = 0; i < blocks; i++) {
      hashes.push(await senders.send(anyOf(half), senderOf(half)));
      const miners = (blocks - 1 - i) % UNCLE_INTERVAL === 0 ? [half[0]!, half[1]!] : [anyOf(half)];
      // Each node keeps the first of siblings without fees.
      const works = await Promise.all(miners.map((miner) => freshWork(miner, miners.length > 1)));
      await Promise.all(miners.map((miner, at) => submitSolution(miner, works[at]!)));
      await network.agree(half);
    }
    return hashes;
  }

  /** An account that sends in one half only. */
  function senderOf(half: readonly InteropNode[]): number {
    const start = half === network.halves[0] ? 0 : ACCOUNTS / 2;
    return start + Math.floor((Math.random() * ACCOUNTS) / 2);
  }

  it("agrees on one chain after a partition, with uncles, and mines the transactions of both halves", async () => {
    const { number: before } = await tipOf(network.all[0]!);
    await network.cut();
    const sent = await Promise.all(network.halves.map((half, i) => mineApart(half, SEPARATE_BLOCKS[i]!)));
    const tips = await Promise.all(network.halves.map((half) => network.agree(half)));
    assert.notEqual(tips[0], tips[1]);
    const began = performance.now();
    const note = (what: string) => figures.push(`${what} after ${Math.round(performance.now() - began)} ms`);
    const healing = network.agree(network.all, SECONDS_TO_HEAL).finally(() => note("agreed"));
    await network.join();
    note("reconnected");
    const common = await healing;
    assert(tips.includes(common));
    const { number: healed } = await tipOf(network.all[0]!);
    for (let i = 0; i < BLOCKS_AFTER_PARTITION; i++) {
      await mineMerged(network.all[i % network.all.length]!);
      await network.agree();
    }
    await mineAll(sent.flat());
    await assertMinedOnce(sent.flat());
    const uncles = (await blocksFrom(network.all[0]!, before + 1)).map((block) => block.uncles.length);
    const during = sum(uncles.slice(0, healed - before));
    const later = sum(uncles.slice(healed - before));
    figures.push(`uncles: ${during} during the partition, ${later} after it`);
    assert(during > 0);
    assert(later > 0);
  });

  it(`runs for ${SOAK_MINUTES} minutes`, async () => {
    const end = performance.now() + SOAK_MINUTES * 60_000;
    const warm = performance.now() + WARM_UP * SOAK_MINUTES * 60_000;
    const hashes: string[] = [];
    const readMemory = () => Promise.all(network.cambium.map(residentMemory));
    const memory = { start: await readMemory(), warm: [] as number[] };
    let blocks = 0;
    let lostConnections = 0;
    const mining = every(BLOCK_INTERVAL, end, async () => {
      await mineMerged(anyOf(network.all));
      blocks++;
    });
    const sending = every(TRANSACTION_INTERVAL, end, async () => {
      hashes.push(await senders.send(anyOf(network.all), hashes.length % ACCOUNTS));
    });
    const watching = every(BLOCK_INTERVAL, end, async () => {
      if (memory.warm.length === 0 && performance.now() > warm) memory.warm = await readMemory();
      const counts = await Promise.all(network.all.map(peerCount));
      if (counts.some((count) => count < CONNECTIONS)) lostConnections++;
    });
    await Promise.all([mining, sending, watching]);
    await waitFor("all are connected", () => Promise.all(network.all.map(peerCount)), isComplete, SECONDS_TO_HEAL);
    const atEnd = await readMemory();
    const show = (values: number[]) => values.map(Math.round).join(", ");
    figures.push(`soak: ${blocks} blocks, ${hashes.length} transactions`);
    figures.push(`times a connection was missing: ${lostConnections}`);
    figures.push(`MiB at the start ${show(memory.start)}; warm ${show(memory.warm)}; at the end ${show(atEnd)}`);
    await mineAll(hashes);
    await assertMinedOnce(hashes);
    for (const [i, value] of atEnd.entries()) assert(value < memory.warm[i]! * MEMORY_GROWTH, `node ${i}`);
  });

  it("leaves all nodes with a good reputation", async () => {
    for (const { rpc, name } of network.all) {
      assert.deepEqual(await rpc.call("sco_bannedAddresses"), [], name);
      for (const scoring of (await rpc.call("sco_peerList")) as Json[]) {
        const faults = FAULTS.filter((fault) => scoring[fault] !== 0);
        assert.deepEqual(faults, [], `${name}: ${JSON.stringify(scoring)}`);
      }
    }
  });

  it("logs no warnings", () => {
    for (const { name, warnings } of network.cambium) assert.deepEqual(warnings, [], name);
  });
});

async function every(interval: number, end: number, act: () => Promise<void>): Promise<void> {
  while (performance.now() < end) {
    const began = performance.now();
    await act();
    await sleep(Math.max(0, began + interval - performance.now()));
  }
}

function isComplete(counts: readonly number[]): boolean {
  return counts.every((count) => count === CONNECTIONS);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
