import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { TcpGate } from "@cambium/test-utils/peers/tcp-gate";
import { Inspector, type ThreadMemory } from "@cambium/test-utils/processes/inspector";
import { random } from "@cambium/test-utils/random";
import { until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { ChainLife, RECONNECTION } from "./soak/chain-life.js";
import { SOAK_FLAGS } from "./soak/flags.js";
import { added, filtersOf, type Handles, handlesOf } from "./soak/handles.js";
import { Load } from "./soak/load.js";
import { RequestBook } from "./soak/request-book.js";

/**
 * Number of rounds of ten blocks each, with a reorganisation and 1,400 requests; in total the blocks of an hour on a
 * public network.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 12);
/** Rounds after which the following node starts again without a database. */
const FRESH_STARTS = [Math.floor(ROUNDS / 3), Math.floor((2 * ROUNDS) / 3)];
/**
 * Number of blocks before the load. A thread caches this number of headers, so that the caches are full at the first
 * measurement.
 */
const BLOCKS_BEFORE = Number(process.env.BLOCKS_BEFORE ?? 2100);
/** Share of the heap by which it may grow in the last half. */
const MAX_GROWTH = 0.05;
/** Milliseconds until an unused filter is removed. */
const FILTER_EXPIRY = 5_000;

describe("a node under load, with peers, transactions and reorganisations", function () {
  this.timeout(60 * 60_000);
  this.bail(true);
  const { NODE_OPTIONS, TMPDIR } = process.env;
  let folder: string;
  let node: PeerNode;
  let rival: PeerNode;
  let follower: PeerNode;
  let gate: TcpGate;
  let inspector: Inspector;
  let load: Load;
  let life: ChainLife;
  /** Handles without clients. */
  let handlesBefore: Handles;
  /** Heap of the main thread after each round, in bytes. */
  const heaps: number[] = [];

  const dataDir = (index: number) => nodeFolder(folder, index);
  const temporary = () => join(folder, "tmp");

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-soak-"));
    mkdirSync(temporary());
    const settings = join(folder, "rpc.json");
    writeFileSync(settings, JSON.stringify({ timeout: 300_000, filters: { expiry: FILTER_EXPIRY } }));
    process.env.TMPDIR = temporary();
    process.env.NODE_OPTIONS = "--inspect=127.0.0.1:0";
    node = await startPeerNode(dataDir(0), [], ...SOAK_FLAGS, "--rpc.config", settings);
    restore("NODE_OPTIONS", NODE_OPTIONS);
    inspector = await Inspector.connect(node.node.greeting);
    gate = await TcpGate.before(node.address);
    life = new ChainLife(node);
    const book = await RequestBook.of(node.rpc, random(SEED));
    load = new Load({ http: node.node.url, ws: node.node.wsUrl! }, book, random(SEED));
  });

  after(async () => {
    restore("NODE_OPTIONS", NODE_OPTIONS);
    restore("TMPDIR", TMPDIR);
    inspector?.close();
    gate?.close();
    for (const one of [follower, rival, node]) await one?.node.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  async function agree(): Promise<void> {
    const { hash } = await bestOf(node);
    for (const peer of [rival, follower]) await until(async () => (await bestOf(peer)).hash === hash, RECONNECTION);
  }

  async function startAgain(): Promise<void> {
    assert.equal(await follower.node.stop(), 0);
    rmSync(dataDir(2), { recursive: true });
    follower = await startPeerNode(dataDir(2), [node.address]);
  }

  const handles = () => handlesOf(inspector, node.node.process.pid!);

  /**
   * Waits until no filter or subscription is left: clients have disconnected, and their filters expire with the next
   * use of any filter.
   */
  async function filtersGone(): Promise<void> {
    await until(async () => {
      await node.rpc.call("eth_uninstallFilter", "0x1");
      const { filters, bytes } = await filtersOf(inspector);
      return filters + bytes === 0;
    });
  }

  it("answers through many rounds, while the chain grows and is reorganised", async () => {
    await life.begin(BLOCKS_BEFORE);
    rival = await startPeerNode(dataDir(1), [gate.address]);
    follower = await startPeerNode(dataDir(2), [node.address]);
    await agree();
    await load.round(life.subjects);
    await filtersGone();
    handlesBefore = await handles();
    for (let round = 1; round <= ROUNDS; round++) {
      if (FRESH_STARTS.includes(round)) await startAgain();
      await Promise.all([life.round(rival, gate), load.round(life.subjects)]);
      await agree();
      const resident = await inspector.evaluate("process.memoryUsage.rss()");
      const memory = await inspector.memory();
      heaps.push(memory.find(({ thread }) => thread === "main")!.heap);
      report(round, resident, memory);
    }
    assert.equal(life.reorganisations, ROUNDS);
    assert.ok(load.notifications > 0);
  });

  it("has called every method", () => {
    assert.deepEqual(load.uncalled(), []);
  });

  it("does not grow: less than 5 % of its heap in the last half", () => {
    const half = heaps.slice(heaps.length / 2);
    const part = Math.ceil(half.length / 3);
    const [first, last] = [median(half.slice(0, part)), median(half.slice(-part))];
    assert.ok(
      last < first * (1 + MAX_GROWTH),
      `from ${megabytes(first)} to ${megabytes(last)}: ${heaps.map(megabytes)}`,
    );
  });

  it("has neither more handles and open files than before, nor filters and subscriptions", async () => {
    await filtersGone();
    let more: string[] = [];
    const isAtRest = async () => (more = added(handlesBefore, await handles())).length === 0;
    await until(isAtRest).catch(() => assert.deepEqual(more, []));
    assert.deepEqual(readdirSync(temporary()), []);
  });

  it("stops in order, and its database is sound, as are those of its peers", async () => {
    inspector.close();
    for (const one of [follower, rival, node]) assert.equal(await one.node.stop(), 0);
    for (const index of [0, 1, 2]) {
      const check = await runCli("db", "check", "--deep", "--network", "local", "--data-dir", dataDir(index));
      assert.equal(check.status, 0, check.stdout + check.stderr);
    }
  });

  function report(round: number, resident: number, memory: readonly ThreadMemory[]): void {
    const threads = memory.map(({ thread, heap, external }) => `${thread} ${megabytes(heap)}+${megabytes(external)}`);
    const progress = `round ${round} of ${ROUNDS}, ${load.requests} requests`;
    console.log(`    ${progress}; MB: resident ${megabytes(resident)}, ${threads.join(", ")}`);
  }
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
