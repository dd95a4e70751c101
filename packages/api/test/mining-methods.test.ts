import assert from "node:assert/strict";
import type { ImportResult } from "@cambium/chain";
import { MinerError, type MinerFault, type Work } from "@cambium/miner";
import { toData } from "@cambium/primitives";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { FakeLocalMiner, fakeMiner, HASH, PARENT_HASH, REWARD_ADDRESS } from "@cambium/test-utils/api/fake-miner";
import type { ApiParts } from "../src/api.js";
import type { ApiConfig } from "../src/config.js";
import { apiOver, ask } from "./support/service.js";

const WORD = `0x${"0".repeat(63)}1`;
const TARGET = `0x${(2n ** 200n).toString(16).padStart(64, "0")}`;

function service(parts: Partial<ApiParts>, config: Partial<ApiConfig> = {}) {
  const api = apiOver(new FakeChain(), config, parts);
  return (method: string, ...params: unknown[]) => ask(api, method, ...params);
}

function failing(fault: MinerFault) {
  const fail = () => {
    throw new MinerError(fault);
  };
  return service({ miner: fakeMiner({ getWork: fail, ethWork: fail, submitBlock: async () => fail() }) });
}

describe("mining methods", () => {
  it("return work", async () => {
    const call = service({ miner: fakeMiner() });
    assert.deepEqual(await call("mnr_getWork"), {
      blockHashForMergedMining: toData(HASH),
      target: TARGET,
      feesPaidToMiner: "12345678901234567890",
      notify: true,
      parentBlockHash: toData(PARENT_HASH),
    });
    assert.deepEqual(await call("eth_getWork"), [toData(HASH), toData(PARENT_HASH), TARGET]);
    assert.equal(await call("eth_coinbase"), toData(REWARD_ADDRESS));
    assert.equal(await call("eth_hashrate"), "0x38a");
    assert.equal(await call("eth_mining"), false);
  });

  it("wait for other work than the client has, if it says which", async () => {
    const other = new Uint8Array(32).fill(0x77);
    let current = HASH;
    const listeners = new Set<(work: Work) => void>();
    const own = fakeMiner();
    const call = service({
      miner: fakeMiner({
        getWork: () => ({ ...own.getWork(), hashForMergedMining: current }),
        ethWork: () => ({ ...own.ethWork(), headerHash: current }),
        onWork: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      }),
    });
    // A request with an unknown hash does not wait.
    const work = (await call("mnr_getWork", toData(other))) as { blockHashForMergedMining: string };
    assert.equal(work.blockHashForMergedMining, toData(HASH));
    const waiting = call("mnr_getWork", toData(HASH)) as Promise<{ blockHashForMergedMining: string }>;
    while (listeners.size === 0) await new Promise(setImmediate);
    for (const listener of listeners) listener(own.getWork());
    assert.equal(await Promise.race([waiting, new Promise((resolve) => setImmediate(resolve, "waits"))]), "waits");
    current = other;
    for (const listener of listeners) listener({ ...own.getWork(), hashForMergedMining: other });
    assert.equal((await waiting).blockHashForMergedMining, toData(other));
    assert.equal(listeners.size, 0);
  });

  it("answer the known work again shortly before the time limit", async () => {
    const miner = fakeMiner({ onWork: () => () => undefined });
    const api = apiOver(new FakeChain(), { timeout: 2_000 }, { miner });
    const work = (await ask(api, "mnr_getWork", toData(HASH))) as { blockHashForMergedMining: string };
    assert.equal(work.blockHashForMergedMining, toData(HASH));
  });

  it("return the result of a submission", async () => {
    const results: [ImportResult, string][] = [
      [{ kind: "imported-best" }, "0x494d504f525445445f42455354"],
      [{ kind: "imported-side" }, "0x494d504f525445445f4e4f545f42455354"],
      [{ kind: "already-known" }, "0x4558495354"],
      [{ kind: "missing-parent" }, "0x4e4f5f504152454e54"],
      [{ kind: "invalid", fault: { code: "DECODING", reason: "" } }, "0x494e56414c49445f424c4f434b"],
    ];
    for (const [result, blockImportedResult] of results) {
      const submitBlock = async () => ({ result, hash: HASH, number: 436 });
      const answer = await service({ miner: fakeMiner({ submitBlock }) })("mnr_submitParentChainBlock", "00");
      assert.deepEqual(answer, { blockImportedResult, blockHash: toData(HASH), blockIncludedHeight: "0x1b4" });
    }
  });

  it("pass on solutions in all three forms", async () => {
    const seen: unknown[] = [];
    const submitted = { result: { kind: "imported-best" } as const, hash: HASH, number: 1 };
    const keep = async (submission: unknown) => {
      seen.push(submission);
      return submitted;
    };
    const miner = fakeMiner({ submitBlock: keep, submitTransactions: keep, submitPartialMerkle: keep });
    const call = service({ miner });
    const [header, coinbase] = [Uint8Array.of(0xab, 0xcd), Uint8Array.of(1)];
    const hashes = [Uint8Array.of(0x11), Uint8Array.of(0x22)];
    await call("mnr_submitParentChainBlock", " 0xAB cD\n");
    await call("mnr_submitParentChainBlockTransactions", "anything", "abcd", "01", "11 \t22");
    await call("mnr_submitParentChainBlockPartialMerkle", null, "abcd", "0x01", " 11 22 ", "1f");
    assert.deepEqual(seen, [
      header,
      { header, coinbase, transactionIds: hashes },
      { header, coinbase, merkleHashes: hashes, transactionCount: 31 },
    ]);
  });

  it("report the miner's failures in the documented wording", async () => {
    const faults: [MinerFault, number, string][] = [
      [{ code: "NO_WORK" }, -32000, "mining work not available"],
      [{ code: "RATE_LIMITED" }, -33000, "Cannot publish block, block submission rate limit exceeded"],
      [
        { code: "UNKNOWN_WORK", hashForMergedMining: HASH },
        -33000,
        `Cannot publish block, could not find hash ${toData(HASH)} in the cache`,
      ],
      [
        {
          code: "INVALID_PROOF",
          blockHash: HASH,
          hashForMergedMining: PARENT_HASH,
          number: 12,
          reason: "PARENT_HEADER_SIZE",
        },
        -33000,
        `Invalid block supplied by miner: ${"1d".repeat(32)} ${"2e".repeat(32)} at height 12: PARENT_HEADER_SIZE`,
      ],
      [{ code: "MERKLE_HASHES_EMPTY" }, -33000, "The list of merkle hashes can't be empty"],
      [{ code: "MALFORMED", what: "header", reason: "2 bytes" }, -32602, "Invalid header: 2 bytes"],
      [{ code: "OPTION", option: "x", reason: "y" }, -32603, "Internal server error"],
    ];
    for (const [fault, code, message] of faults) {
      await assert.rejects(failing(fault)("mnr_submitParentChainBlock", "00"), { code, message });
    }
    await assert.rejects(failing({ code: "NO_WORK" })("mnr_getWork"), { code: -32000 });
  });

  it("have the deployed ecosystem's names too, unless they are disabled", async () => {
    const names = [
      "mnr_submitBitcoinBlock",
      "mnr_submitBitcoinBlockTransactions",
      "mnr_submitBitcoinBlockPartialMerkle",
    ];
    const own = await service({ miner: fakeMiner() })("mnr_submitParentChainBlock", "00");
    const parts = { miner: fakeMiner() };
    const without = apiOver(new FakeChain(), { aliases: false }, parts);
    for (const [i, name] of names.entries()) {
      const params = [["00"], ["", "00", "00", "11"], ["", "00", "00", "11", "1"]][i]!;
      assert.deepEqual(await service(parts)(name, ...params), own);
      await assert.rejects(ask(without, name, ...params), { code: -32601 });
    }
  });

  it("take the number of transactions as a JSON integer, by its digits", async () => {
    const counts: number[] = [];
    const submitPartialMerkle = async ({ transactionCount }: { transactionCount: number }) => {
      counts.push(transactionCount);
      return { result: { kind: "imported-best" as const }, hash: new Uint8Array(32), number: 1 };
    };
    const call = service({ miner: fakeMiner({ submitPartialMerkle }) });
    for (const count of ["1f", 1, 10]) {
      await call("mnr_submitParentChainBlockPartialMerkle", "00", "00", "00", "11", count);
    }
    assert.deepEqual(counts, [0x1f, 1, 0x10]);
  });

  it("check the sizes of simple solutions", async () => {
    const call = service({ miner: fakeMiner() });
    assert.equal(await call("eth_submitWork", "0x0000000000000001", WORD, WORD), true);
    assert.equal(await call("eth_submitHashrate", WORD, WORD), true);
    for (const nonce of ["0x01", 1, null, "0x00000000000000001"]) {
      await assert.rejects(call("eth_submitWork", nonce, WORD, WORD), { code: -32602 });
    }
    await assert.rejects(call("eth_submitHashrate", "0x1", WORD), { code: -32602 });
  });

  it("do not exist without a miner", async () => {
    const call = service({});
    for (const method of ["mnr_getWork", "evm_mine", "evm_snapshot"]) {
      await assert.rejects(call(method), { code: -32601 });
    }
    await assert.rejects(call("eth_getWork"), { code: -32000, message: /--miner\.server and --miner\.address/ });
    assert.equal(await call("eth_coinbase"), `0x${"00".repeat(20)}`);
    assert.equal(await call("eth_hashrate"), "0x0");
    assert.equal(await call("eth_mining"), false);
  });
});

describe("methods of a local network", () => {
  it("mine, move the clock, start and stop", async () => {
    const localMiner = new FakeLocalMiner();
    const call = service({ localMiner: localMiner.api() });
    assert.equal(await call("evm_mine"), null);
    assert.equal(await call("evm_increaseTime", 10), "0xa");
    assert.equal(await call("evm_increaseTime", "20"), "0x14");
    assert.equal(await call("evm_increaseTime", "0x1e"), "0x1e");
    await assert.rejects(call("evm_increaseTime", "-5"), {
      code: -32602,
      message: "invalid number of seconds -5: the time of the chain cannot go back",
    });
    assert.equal(await call("evm_startMining"), null);
    assert.equal(await call("evm_stopMining"), null);
    assert.equal(await call("evm_reset"), null);
    assert.equal(await call("eth_mining"), true);
    const increases = ["increase 10", "increase 20", "increase 30"];
    assert.deepEqual(localMiner.asked, ["mine", ...increases, "start", "stop", "reset"]);
  });

  it("take snapshots and revert to them", async () => {
    const call = service({ localMiner: new FakeLocalMiner().api() });
    assert.equal(await call("evm_snapshot"), "0x1");
    assert.equal(await call("evm_snapshot"), "0x2");
    assert.equal(await call("evm_revert", "0x2"), true);
    assert.equal(await call("evm_revert", "0x3"), false);
    assert.equal(await call("evm_revert", "0xffffffff"), false);
  });

  it("revert to a snapshot once, except as the deployed client", async () => {
    const miner = new FakeLocalMiner().api({ revert: async (_id, isKept) => isKept === true });
    for (const compatibility of ["development", "specification", "deployed"] as const) {
      const call = service({ localMiner: miner }, { compatibility });
      assert.equal(await call("evm_revert", "0x1"), compatibility === "deployed", compatibility);
    }
  });

  it("reject malformed numbers", async () => {
    const call = service({ localMiner: new FakeLocalMiner().api() });
    for (const id of ["abc", "0x", "1", 1, null]) {
      const shown = typeof id === "string" ? id : JSON.stringify(id);
      await assert.rejects(call("evm_revert", id), { code: -32602, message: `invalid snapshot id ${shown}` });
    }
    for (const seconds of ["abc", "0x", 1.5, "1e3", null, "9".repeat(18)]) {
      const shown = typeof seconds === "string" ? seconds : JSON.stringify(seconds);
      const message = `invalid number of seconds ${shown}`;
      await assert.rejects(call("evm_increaseTime", seconds), { code: -32602, message });
    }
  });
});
