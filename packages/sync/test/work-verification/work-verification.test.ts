import assert from "node:assert/strict";
import { type Chain, ChainError, openReader } from "@cambium/chain";
import { readVerifiedWork, trustText } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { MemoryDatabase } from "@cambium/database";
import { NetworkingError } from "@cambium/networking";
import { bootstrappedDatabase } from "@cambium/test-utils/chains/bootstrapped-database";
import { recordedChain } from "@cambium/test-utils/chains/chain-vectors";
import { emptyChain, Mine, network } from "@cambium/test-utils/mined-chains";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { settled, TurningClock } from "@cambium/test-utils/turning-clock";
import type { BlockHeader } from "@cambium/types";
import { WorkVerification } from "../../src/index.js";
import { type Answers, FakeNetwork, HonestAnswers } from "../fake-network.js";

const signal = new AbortController().signal;
/** The lowest block of the published state. */
const EARLIEST = 420;

describe("verifying the work below published state", () => {
  let chain: Chain;
  let peers: FakeNetwork;
  let database: MemoryDatabase;
  let lines: string[];

  before(async () => {
    chain = await emptyChain();
    await new Mine(chain).blocks(440);
  });

  beforeEach(async () => {
    peers = new FakeNetwork();
    database = await bootstrappedDatabase(chain, EARLIEST);
    lines = [];
  });

  function verification(config: NetworkConfig = network, isBusy = () => false): WorkVerification {
    const note = (_: object, text: string) => lines.push(text);
    const logger = { ...SILENT, info: note, warn: note };
    return new WorkVerification({ network: peers.api, config, database, logger, isBusy, clock: new TurningClock(100) });
  }

  function trust(config: NetworkConfig = network): string {
    return trustText(openReader({ network: config, database }).trust());
  }

  it("goes down to genesis, over any peer, and says what the node rests on", async () => {
    peers.add("a", chain);
    peers.add("b", chain);
    assert.equal(trust(), "signers and work since 420");
    await verification().run(signal);
    assert.equal(trust(), "work since genesis");
    assert.deepEqual(lines, [
      "This node rests on: signers and work since 420",
      "This node rests on: work since genesis",
    ]);
    assert.deepEqual(peers.reports, []);
    const requests = peers.requests.length;
    await verification().run(signal);
    assert.equal(peers.requests.length, requests);
  });

  it("continues after an interruption where it was", async () => {
    const stop = new AbortController();
    const honest = new HonestAnswers(chain);
    peers.add("a", chain, {
      headers: async (hash, count) => {
        if (peers.requests.length === 2) stop.abort(new Error("killed"));
        return honest.headers(hash, count);
      },
    });
    await assert.rejects(verification().run(stop.signal), /killed/);
    const { number, isComplete } = readVerifiedWork(database)!;
    assert(!isComplete && number < EARLIEST - 150 && number > 0, String(number));
    assert.equal(trust(), `signers and work since ${number}`);
    const before = peers.requests.length;
    await verification().run(signal);
    assert.equal(trust(), "work since genesis");
    assert(peers.requests.length - before < before + 3);
  });

  it("ends at the trusted block of the network", async () => {
    peers.add("a", chain);
    const config = trusting(200);
    await verification(config).run(signal);
    assert.equal(trust(config), "work since 200");
    assert.equal(readVerifiedWork(database)!.least, chain.totalDifficulty(chain.hashByNumber(200)!));
  });

  it("drops a peer that lies, and is not changed by it", async () => {
    const honest = new HonestAnswers(chain);
    const lies: Record<string, Answers["headers"]> = {
      "no work": async (hash, count) => (await honest.headers(hash, count)).map(withoutWork),
      "another difficulty": async (hash, count) => withDifficulty(await honest.headers(hash, count)),
      "another chain": async (_, count) => honest.headers(chain.hashByNumber(100)!, count),
      "too few": async (hash) => honest.headers(hash, 3),
      "too many": async (hash, count) => honest.headers(hash, count + 1),
      gap: async (hash, count) => (await honest.headers(hash, count)).filter((_, index) => index !== 50),
    };
    for (const [name, headers] of Object.entries(lies)) {
      database = await bootstrappedDatabase(chain, EARLIEST);
      peers = new FakeNetwork();
      peers.add(name, chain, { headers });
      const stop = new AbortController();
      const run = verification().run(stop.signal);
      while (peers.reports.length === 0) await new Promise(setImmediate);
      assert.equal(readVerifiedWork(database), undefined, name);
      assert.match(peers.reported(name).join(), /^INVALID_(HEADER|MESSAGE)$/, name);
      assert.equal(peers.peer(name), undefined, name);
      peers.add("honest", chain);
      await run;
      stop.abort();
      assert.equal(trust(), "work since genesis", name);
      assert.deepEqual(peers.reported("honest"), []);
    }
  });

  it("asks another peer if one stalls, and waits if none has the headers", async () => {
    peers.add("empty", chain, {
      headers: async () => {
        throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: "headers" });
      },
    });
    const run = verification().run(signal);
    while (!lines.includes("The verification of work waits for peers: no peer sent header 420")) await settled(1);
    peers.add("silent", chain, { headers: () => new Promise(() => undefined) });
    await settled();
    assert.equal(trust(), "signers and work since 420");
    peers.add("honest", chain);
    await run;
    assert.equal(trust(), "work since genesis");
    assert.deepEqual(peers.reported("honest"), []);
  });

  it("refuses a chain that does not lead to the trusted block, or not with its total difficulty", async () => {
    peers.add("a", chain);
    const other = { ...trusting(200).workCheckpoint!, hash: chain.hashByNumber(199)! };
    await assert.rejects(verification({ ...network, workCheckpoint: other }).run(signal), isMismatch(200));
    const { totalDifficulty } = trusting(200).workCheckpoint!;
    for (const wrong of [totalDifficulty - 1n, totalDifficulty + 1n]) {
      database = await bootstrappedDatabase(chain, EARLIEST);
      const config = { ...network, workCheckpoint: { ...trusting(200).workCheckpoint!, totalDifficulty: wrong } };
      await assert.rejects(verification(config).run(signal), isMismatch(200));
      assert.equal(readVerifiedWork(database)?.isComplete, false);
    }
    assert.deepEqual(peers.reports, []);
    database = await bootstrappedDatabase(chain, EARLIEST, 1n);
    await assert.rejects(verification().run(signal), isMismatch(0));
  });

  it("bounds the total difficulty of a recorded chain with uncles", async () => {
    const recorded = await recordedChain("rewards");
    peers.add("a", recorded);
    for (const [excess, isRefused] of [
      [0n, false],
      [-40n, true],
      [1_000n, true],
    ] as const) {
      database = await bootstrappedDatabase(recorded, 60, excess);
      const run = verification().run(signal);
      if (isRefused) await assert.rejects(run, isMismatch(0));
      else await run;
    }
  });

  function trusting(number: number): NetworkConfig {
    const hash = chain.hashByNumber(number)!;
    return { ...network, workCheckpoint: { number, hash, totalDifficulty: chain.totalDifficulty(hash)! } };
  }
});

function isMismatch(number: number) {
  return (error: unknown) =>
    error instanceof ChainError && error.details.code === "HISTORY_MISMATCH" && error.details.number === number;
}

function withoutWork(header: BlockHeader): BlockHeader {
  return header.with({ parentChainHeader: new Uint8Array(80) });
}

function withDifficulty(headers: readonly BlockHeader[]): BlockHeader[] {
  return headers.map((header, index) => (index === 20 ? header.with({ difficulty: 2n }) : header));
}
