import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { chainEntries } from "@cambium/test-utils/chain-files";
import { Block, packKnownSenders } from "@cambium/types";
import { blockOf } from "../../src/import/block-input.js";
import type { BlockInput, ImportResult } from "../../src/index.js";
import { RecoveringImport } from "../../src/threads/recovering-import.js";
import { SenderRecovery, startThread } from "../../src/threads/sender-recovery.js";

const network = NETWORKS.local;

/** A chain that accepts all blocks, one after the other, and records whether their signers are known. */
class FakeChain {
  readonly taken: { hash: Uint8Array; isRecovered: boolean }[] = [];
  private turn = Promise.resolve();

  async import(input: BlockInput): Promise<ImportResult> {
    const taking = this.turn.then(() => {
      const { hash, transactions } = blockOf(input, network);
      this.taken.push({ hash, isRecovered: transactions.every(({ hasSender }) => hasSender) });
    });
    this.turn = taking;
    await taking;
    return { kind: "imported-best" };
  }
}

describe("import with recovery ahead", () => {
  let encoded: Uint8Array[];
  let blocks: Block[];

  before(async () => {
    encoded = (await chainEntries("transfers")).map(({ rlp }) => rlp).filter((_, index) => index < 100);
    blocks = encoded.map((rlp) => Block.decode(rlp, network));
  });

  for (const maxThreads of [1, 3]) {
    it(`keeps the order, and recovers signers for all blocks except one with none ahead of it: ${maxThreads} threads`, async () => {
      const chain = new FakeChain();
      const imports = new RecoveringImport(chain, new SenderRecovery({ maxThreads }));
      await Promise.all(encoded.map((block) => imports.import({ bytes: block, source: "sync" })));
      await imports.close();
      assert.deepEqual(
        chain.taken.map(({ hash }) => hash),
        blocks.map(({ hash }) => hash),
      );
      assert(chain.taken.slice(1).every(({ isRecovered }) => isRecovered));
    });
  }

  it("imports without signers when the recovering thread fails, and then starts another one", async () => {
    const chain = new FakeChain();
    let started = 0;
    const start = () => {
      const thread = startThread();
      if (started++ === 0) thread.call = () => Promise.reject(new Error("out of memory"));
      return thread;
    };
    const imports = new RecoveringImport(chain, new SenderRecovery({ maxThreads: 1, start }));
    const half = encoded.length / 2;
    for (const part of [encoded.slice(0, half), encoded.slice(half)]) {
      await Promise.all(part.map((block) => imports.import({ bytes: block, source: "sync" })));
    }
    await imports.close();
    assert.equal(started, 2);
    assert.equal(chain.taken.length, encoded.length);
    assert(chain.taken.slice(half + 1).every(({ isRecovered }) => isRecovered));
  });

  it("uses signers known to the caller", async () => {
    const chain = new FakeChain();
    const imports = new RecoveringImport(chain);
    for (const block of blocks) for (const transaction of block.transactions) void transaction.sender;
    const known = blocks.map(({ transactions }) => packKnownSenders(transactions));
    for (const [index, block] of encoded.entries())
      await imports.import({ bytes: block, source: "sync", senders: known[index] });
    await imports.close();
    assert(chain.taken.every(({ isRecovered }) => isRecovered));
  });

  it("keeps the order when signers arrive in another", async () => {
    const chain = new FakeChain();
    const answers: (() => void)[] = [];
    const recover = () => new Promise<undefined>((resolve) => answers.unshift(() => resolve(undefined)));
    const imports = new RecoveringImport(chain, { recover, close: async () => undefined });
    const results = encoded.map((block) => imports.import({ bytes: block, source: "sync" }));
    for (const answer of answers) answer();
    await Promise.all(results);
    assert.equal(answers.length, encoded.length - 1);
    assert.deepEqual(
      chain.taken.map(({ hash }) => hash),
      blocks.map(({ hash }) => hash),
    );
  });

  it("passes on rejections of the chain and continues", async () => {
    const imports = new RecoveringImport({
      import: async (input) => {
        blockOf(input, network);
        return { kind: "already-known" };
      },
    });
    const results = await Promise.allSettled(
      [encoded[0]!, Uint8Array.of(1), encoded[1]!].map((b) => imports.import({ bytes: b, source: "sync" })),
    );
    await imports.close();
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });
});
