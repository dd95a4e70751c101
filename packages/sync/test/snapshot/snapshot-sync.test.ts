import assert from "node:assert/strict";
import { ChainError, localBlock, openChain } from "@cambium/chain";
import { checkDatabase } from "@cambium/chain-maintenance";
import { MemoryDatabase } from "@cambium/database";
import type { SnapshotBlock } from "@cambium/networking";
import { bytesToNumber, decodeRlpList, encodeRlp, RawRlp, toHex, utf8 } from "@cambium/primitives";
import { NOW, network } from "@cambium/test-utils/mined-chains";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { TurningClock } from "@cambium/test-utils/turning-clock";
import { TrieError, verifyStateChunk } from "@cambium/trie";
import { type Checkpoint, SnapshotSync } from "../../src/index.js";
import type { SnapshotOptions } from "../../src/snapshot/options.js";
import { honest, mined, missing, type Origin, type SnapshotAnswers, SnapshotNetwork } from "./support.js";

const CHUNK = 700;
/** A checkpoint at block 270 of 320. */
const serving = { interval: 50, depth: 30, blocks: 20, chunkBytes: CHUNK };
const CHECKPOINT = 270;
const BELOW = 60;
const options: Partial<SnapshotOptions> = {
  blocksBelow: BELOW,
  chunkBytes: CHUNK,
  gathering: 1,
  retryPause: 10,
  historyPause: 1,
};
const signal = new AbortController().signal;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("starting from a snapshot", () => {
  let origin: Origin & { counter: Uint8Array };
  let peers: SnapshotNetwork;
  let database: MemoryDatabase;
  let warnings: string[];

  before(async () => {
    origin = await mined(320);
  });

  beforeEach(() => {
    peers = new SnapshotNetwork();
    database = new MemoryDatabase();
    warnings = [];
  });

  function sync(own: Partial<SnapshotOptions> = {}, answering = peers, clock = new TurningClock()): SnapshotSync {
    const logger = { ...SILENT, warn: (_: object, message: string) => warnings.push(message) };
    const modules = {
      network: answering.api,
      config: network,
      database,
      logger,
      clock,
      now: () => NOW,
    };
    return new SnapshotSync(modules, { ...options, ...own });
  }

  function add(id: string, own: Partial<SnapshotAnswers> = {}, from: Origin = origin): void {
    peers.add(id, from.chain, { ...honest(from, serving), ...own });
  }

  async function problems() {
    return (await checkDatabase(database, network, { deep: true })).problems;
  }

  /** Checks that the chain follows to the origin's best block and then has the same content. */
  async function isWhole(earliest: number): Promise<void> {
    const { chain, counter } = origin;
    assert.deepEqual(await problems(), []);
    const copy = await openChain({ network, database, now: () => NOW });
    assert.equal(copy.best().header.number, CHECKPOINT);
    assert.equal(copy.earliestBlock(), earliest);
    for (let number = CHECKPOINT + 1; number <= 320; number++) {
      assert.equal((await copy.import(localBlock(chain.blockByNumber(number)!))).kind, "imported-best");
    }
    const { hash, totalDifficulty } = chain.best();
    assert.equal(toHex(copy.best().hash), toHex(hash));
    assert.equal(copy.best().totalDifficulty, totalDifficulty);
    const [mine, theirs] = [copy, chain].map((one) => one.stateAfter(hash)!);
    assert.equal(toHex(mine!.root), toHex(theirs!.root));
    for (let number = 1; number <= 320; number++) {
      for (const { to } of chain.blockByNumber(number)!.transactions) {
        if (to?.length === 20) assert.equal(mine!.getBalance(to), theirs!.getBalance(to));
      }
    }
    const call = {
      from: new Uint8Array(20),
      to: counter,
      data: utf8("?"),
      gasLimit: 100_000n,
      gasPrice: 0n,
      value: 0n,
    };
    const [ours, expected] = [copy, chain].map((one) => one.call(call, hash));
    assert.deepEqual(ours, expected);
    assert.equal(bytesToNumber(ours!.output!), Math.floor(320 / 5));
    assert.deepEqual(await problems(), []);
  }

  it("reaches the same state as executing everything, from several peers, and fills the history", async () => {
    add("a");
    add("b");
    peers.add("without", origin.chain, honest(origin, serving), false);
    const one = sync();
    assert.equal(await one.run(signal), "installed");
    assert.deepEqual(peers.reports, []);
    assert(peers.requests.every(({ peer }) => peer !== "without"));
    assert(peers.count("chunk") > 10);
    for (const id of ["a", "b"]) assert(peers.requests.some(({ peer, kind }) => peer === id && kind === "chunk"));
    await isWhole(CHECKPOINT - BELOW);

    await one.fillHistory(signal);
    assert.deepEqual(await problems(), []);
    const copy = await openChain({ network, database, now: () => NOW });
    assert.equal(copy.earliestBlock(), 0);
    for (let number = 0; number <= 320; number++) {
      const hash = origin.chain.hashByNumber(number)!;
      assert.deepEqual(copy.hashByNumber(number), hash);
      assert.equal(copy.totalDifficulty(hash), origin.chain.totalDifficulty(hash));
    }
    assert.equal(await sync().run(signal), "not-needed");
  });

  it("asks another peer after a wrong answer, and reports it", async () => {
    const answers = honest(origin, serving);
    add("a");
    add("wrong chunks", {
      async chunk(block, from) {
        const chunk = await answers.chunk(block, from);
        const encoded = chunk.encoded.slice();
        encoded[encoded.length >> 1]! ^= 1;
        return { ...chunk, encoded };
      },
    });
    add("wrong bounds", { chunk: async (block, from) => ({ ...(await answers.chunk(block, from)), to: from + 1 }) });
    add("wrong blocks", { blocks: (below) => answers.blocks(below - 1) });
    add("wrong headers", { headers: (hash, count) => answers.headers(hash, count).slice(1) });
    add("nothing", { chunk: async () => Promise.reject(missing("snap-chunk")) });
    add("silent", { chunk: () => new Promise(() => undefined) });
    assert.equal(await sync().run(signal), "installed");
    const reported = new Map(peers.reports.map(({ peer, event }) => [peer, event]));
    assert.equal(reported.get("wrong chunks"), "INVALID_MESSAGE");
    assert.equal(reported.get("wrong bounds"), "INVALID_MESSAGE");
    for (const id of ["a", "nothing", "silent"]) assert.equal(reported.get(id), undefined);
    for (const id of reported.keys()) assert(id.startsWith("wrong"), id);
    await isWhole(CHECKPOINT - BELOW);
  });

  it("rejects a majority whose headers do not lead to our genesis", async () => {
    const genesis = { ...network.genesis, extraData: utf8("another") };
    const other = await mined(320, { ...network, genesis });
    add("a", {}, other);
    add("b", {}, other);
    add("honest");
    assert.equal(await sync().run(signal), "installed");
    assert.deepEqual(
      new Set(peers.reports.map(({ peer, event }) => `${peer} ${event}`)),
      new Set(["a INVALID_HEADER", "b INVALID_HEADER"]),
    );
    await isWhole(CHECKPOINT - BELOW);
  });

  it("follows the peers that it has dialled against any number of inbound ones with a chain of their own", async () => {
    const other = await mined(320, network, "b");
    for (let i = 0; i < 10; i++) peers.add(`evil ${i}`, other.chain, honest(other, serving), true, "inbound");
    for (const id of ["a", "b"]) add(id);
    assert.equal(await sync().run(signal), "installed");
    await isWhole(CHECKPOINT - BELOW);
  });

  it("rejects parts of another chain, wrong sizes and a state that never ends", async () => {
    const answers = honest(origin, serving);
    const other = await mined(320, network, "b");
    const foreign = honest(other, serving);
    add("a");
    add("another state", { chunk: (block, from) => foreign.chunk(block, from) });
    add("another part", {
      chunk: async (block, from) => ({ ...(await answers.chunk(block, 0)), from, to: from + CHUNK }),
    });
    add("endless", { chunk: async (block, from) => ({ ...(await answers.chunk(block, from)), complete: false }) });
    add("early end", { chunk: async (block, from) => ({ ...(await answers.chunk(block, from)), complete: true }) });
    add("empty", { chunk: async (_, from) => ({ from, to: from + CHUNK, complete: false, encoded: encodeRlp([]) }) });
    add("other headers", { headers: (_, count) => foreign.headers(other.chain.hashByNumber(CHECKPOINT)!, count) });
    add("other blocks", { blocks: (below) => foreign.blocks(below) });
    add("other bodies", {
      blocks: (below) =>
        answers.blocks(below).map((block, i, all) => ({ ...block, encoded: mixed(block, all[i - 1]) })),
    });
    assert.equal(await sync().run(signal), "installed");
    assert(!peers.reports.some(({ peer }) => peer === "a"));
    await isWhole(CHECKPOINT - BELOW);
  });

  /** Returns a block with the lists of another one. */
  function mixed({ encoded }: SnapshotBlock, lists: SnapshotBlock | undefined): Uint8Array {
    const [header] = decodeRlpList(encoded);
    const [, ...others] = decodeRlpList(lists?.encoded ?? encoded);
    return encodeRlp([header!, ...others].map(({ raw }) => new RawRlp(raw)));
  }

  it("turns to quick peers when others answer just in time, a little each", async () => {
    const clock = new TurningClock(10);
    const answers = honest(origin, serving);
    const late = () => new Promise<void>((resolve) => clock.after(29_000, resolve));
    for (let i = 0; i < 4; i++) {
      add(`slow ${i}`, {
        async chunk(block, from) {
          await late();
          return answers.chunk(block, from);
        },
        headers: (hash) => answers.headers(hash, 2),
      });
    }
    add("a");
    assert.equal(await sync({}, peers, clock).run(signal), "installed");
    const slow = peers.requests.filter(({ peer }) => peer !== "a");
    const asked = (kind: string) => slow.filter((one) => one.kind === kind).length;
    // Each peer is asked until it has shown that it is slow.
    assert(asked("headers") <= 4, `${asked("headers")} requests for headers`);
    assert(asked("chunk") <= 8, `${asked("chunk")} requests for chunks`);
    assert.deepEqual(peers.reports, []);
    await isWhole(CHECKPOINT - BELOW);
  });

  it("identifies a peer that withholds nodes after one that is larger than a chunk", async () => {
    const small = { ...serving, chunkBytes: 60 };
    const answers = honest(origin, small);
    const { stateRoot } = origin.chain.headerByNumber(CHECKPOINT)!;
    const empty = await emptyChunk(answers, stateRoot);
    const relabelled = (from: number) => ({ ...empty, from, to: from + 60 });
    assert.equal(verifyStateChunk(relabelled(600), stateRoot).nodeCount, 0);
    peers.add("a", origin.chain, answers);
    const liar = async (block: number, from: number) =>
      from > 600 && from < 3_000 ? relabelled(from) : answers.chunk(block, from);
    peers.add("liar", origin.chain, { ...answers, chunk: liar });
    assert.equal(await sync({ chunkBytes: 60 }).run(signal), "installed");
    assert.deepEqual(peers.reports, [{ peer: "liar", event: "INVALID_MESSAGE" }]);
    await isWhole(CHECKPOINT - BELOW);
  });

  /** A genuine chunk that contains no complete node. */
  async function emptyChunk(answers: SnapshotAnswers, root: Uint8Array) {
    for (let from = 0; ; from += 60) {
      const chunk = await answers.chunk(CHECKPOINT, from);
      assert(!chunk.complete);
      try {
        if (verifyStateChunk(chunk, root).start === undefined) return chunk;
      } catch (error) {
        assert(error instanceof TrieError);
      }
    }
  }

  it("continues where it was stopped", async () => {
    const stop = new AbortController();
    let chunks = 0;
    const answers = honest(origin, serving);
    add("a", {
      async chunk(block, from) {
        if (++chunks === 12) stop.abort(new Error("stopped"));
        return answers.chunk(block, from);
      },
    });
    let stepWhenStopped = "";
    const first = sync({ parallelChunks: 1 });
    stop.signal.addEventListener("abort", () => (stepWhenStopped = first.progress().step));
    await assert.rejects(first.run(stop.signal), /stopped/);
    assert.equal(stepWhenStopped, "state");
    assert.deepEqual(await problems(), []);
    const still = await openChain({ network, database: new MemoryDatabase(database), now: () => NOW });
    assert.equal(still.best().header.number, 0);

    const again = new SnapshotNetwork();
    again.add("b", origin.chain, answers);
    assert.equal(await sync({}, again).run(signal), "installed");
    assert.equal(again.count("status") + again.count("headers"), 0);
    assert(again.requests.filter(({ kind }) => kind === "chunk").every(({ what }) => what >= 10 * CHUNK));
    await isWhole(CHECKPOINT - BELOW);
  });

  it("starts from a trusted block, above or below the peers' checkpoints", async () => {
    const trusted = (number: number) => ({ number, hash: origin.chain.hashByNumber(number)! });
    add("a");
    assert.equal(await sync({ checkpoint: trusted(200) }).run(signal), "installed");
    assert(peers.requests.filter(({ kind }) => kind === "headers").every(({ what }) => what <= 71));
    await isWhole(CHECKPOINT - BELOW);

    database = new MemoryDatabase();
    assert.equal(await sync({ checkpoint: trusted(300) }).run(signal), "installed");
    assert.equal((await openChain({ network, database })).best().header.number, 300);
    assert.deepEqual(await problems(), []);
  });

  it("refuses snapshots without the trusted block, logs that, and keeps looking", async () => {
    add("other");
    peers.add("short", origin.chain, { ...honest(origin, serving), hash: () => undefined });
    const checkpoint = { number: 200, hash: new Uint8Array(32).fill(1) };
    const stop = new AbortController();
    const run = sync({ checkpoint }).run(stop.signal);
    await until(() => warnings.length > 0);
    const { hash } = origin.chain.headerByNumber(200)!;
    assert.match(warnings[0]!, new RegExp(`1 of 2 peers have another block 200 than the checkpoint, 0x${toHex(hash)}`));
    assert.deepEqual(peers.reports, []);
    stop.abort(new Error("stopped"));
    await assert.rejects(run, /stopped/);
    assert.equal((await openChain({ network, database })).best().header.number, 0);
  });

  it("waits for peers with snapshots, and is not needed by a chain beyond genesis", async () => {
    peers.add("without", origin.chain, honest(origin, serving), false);
    const run = sync().run(signal);
    await until(() => warnings.length > 0);
    assert.match(warnings[0]!, /no peer serves snapshots/);
    add("a");
    assert.equal(await run, "installed");
    assert.equal(await sync().run(signal), "not-needed");
  });

  it("starts again if another block is trusted after an interruption", async () => {
    const trusted = (number: number) => ({ number, hash: origin.chain.hashByNumber(number)! });
    const interrupted = async (checkpoint: Checkpoint | undefined) => {
      const stop = new AbortController();
      const answers = honest(origin, serving);
      const stopping: SnapshotAnswers = {
        ...answers,
        async chunk(block, from) {
          stop.abort(new Error("stopped"));
          return answers.chunk(block, from);
        },
      };
      const first = new SnapshotNetwork();
      first.add("a", origin.chain, stopping);
      await assert.rejects(sync({ checkpoint }, first).run(stop.signal), /stopped/);
    };
    await interrupted(trusted(250));
    add("a");
    assert.equal(await sync({ checkpoint: trusted(300) }).run(signal), "installed");
    assert.equal((await openChain({ network, database })).best().header.number, 300);

    database = new MemoryDatabase();
    await interrupted(undefined);
    const wrong = { number: 200, hash: new Uint8Array(32).fill(1) };
    const stop = new AbortController();
    const run = sync({ checkpoint: wrong }).run(stop.signal);
    await until(() => peers.reports.length > 0);
    stop.abort(new Error("stopped"));
    await assert.rejects(run, /stopped/);
    assert.equal((await openChain({ network, database })).best().header.number, 0);
  });

  it("waits for a verified snapshot, and chooses another one when no peer serves it any more", async () => {
    const answers = honest(origin, serving);
    let chunks = 0;
    const forgetful: SnapshotAnswers = {
      ...answers,
      async chunk(block, from) {
        if (block === CHECKPOINT && ++chunks > 5) throw missing("snap-chunk");
        return answers.chunk(block, from);
      },
      status: () => ({ ...answers.status(), blocks: chunks > 5 ? served(300) : answers.status().blocks }),
    };
    const served = (number: number) => {
      const hash = origin.chain.hashByNumber(number)!;
      const totalDifficulty = origin.chain.totalDifficulty(hash)!;
      return [{ encoded: origin.chain.encodedBlock(hash)!, totalDifficulty }];
    };
    peers.add("a", origin.chain, forgetful);
    assert.equal(await sync({ patience: 200, parallelChunks: 1 }).run(signal), "installed");
    assert(peers.count("status") >= 2);
    assert.equal((await openChain({ network, database })).best().header.number, 300);
    assert.deepEqual(await problems(), []);
    assert.deepEqual(peers.reports, []);
  });

  it("reports a wrong total difficulty", async () => {
    const { status } = honest(origin, serving);
    add("a", {
      status() {
        const { blocks, trieSize } = status();
        const last = blocks.at(-1)!;
        return { blocks: [{ ...last, totalDifficulty: last.totalDifficulty + 1n }], trieSize };
      },
    });
    const one = sync();
    assert.equal(await one.run(signal), "installed");
    await assert.rejects(
      one.fillHistory(signal),
      (error) => error instanceof ChainError && error.code === "HISTORY_MISMATCH",
    );
  });
});
