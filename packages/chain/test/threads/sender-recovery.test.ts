import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { chainEntries } from "@cambium/test-utils/chain-files";
import { settled } from "@cambium/test-utils/turning-clock";
import { applySenders, Block, packSenders } from "@cambium/types";
import { type RecoveryThread, SenderRecovery, type SenderRecoveryOptions } from "../../src/threads/sender-recovery.js";

/** A thread that answers when the test tells it to. */
class ManualThread {
  readonly calls: { bytes: Uint8Array; resolve: (senders: Uint8Array) => void; reject: (error: Error) => void }[] = [];
  isTerminated = false;
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  call(_name: "recover", { bytes }: { bytes: Uint8Array }): Promise<Uint8Array> {
    return new Promise((resolve, reject) => this.calls.push({ bytes, resolve, reject }));
  }

  async terminate(): Promise<void> {
    this.isTerminated = true;
  }

  answer(): void {
    this.calls.shift()!.resolve(new Uint8Array(20));
  }
}

/** Sender recovery with threads that the test controls. */
class Bench {
  readonly threads: ManualThread[] = [];
  readonly recovery: SenderRecovery;
  readonly results: Promise<Uint8Array | undefined>[] = [];

  constructor(options: SenderRecoveryOptions) {
    const start = () => {
      const thread = new ManualThread();
      this.threads.push(thread);
      return thread as unknown as RecoveryThread;
    };
    this.recovery = new SenderRecovery({ start, ...options });
  }

  async add(size: number): Promise<void> {
    this.results.push(this.recovery.recover({ bytes: new Uint8Array(size), senders: undefined }));
    await settled();
  }

  /** Sizes of the blocks in each thread. */
  get work(): number[][] {
    return this.threads.map(({ calls }) => calls.map(({ bytes }) => bytes.length));
  }
}

const MEBIBYTE = 1024 * 1024;

describe("sender recovery in threads", () => {
  it("starts a thread when all others have work, and gives each block to the one with the least", async () => {
    const bench = new Bench({ maxThreads: 3 });
    await bench.add(5);
    bench.threads[0]!.open();
    await bench.add(3);
    assert.deepEqual(bench.work, [[5, 3], []], "the second thread has not opened");
    bench.threads[1]!.open();
    await bench.add(1);
    assert.deepEqual(bench.work, [[5, 3], [1]]);
    await bench.add(1);
    assert.deepEqual(bench.work, [[5, 3], [1, 1], []]);
    bench.threads[2]!.open();
    for (let i = 0; i < 3; i++) await bench.add(1);
    assert.deepEqual(bench.work, [
      [5, 3],
      [1, 1, 1],
      [1, 1],
    ]);
    await bench.recovery.close();
    assert(bench.threads.every(({ isTerminated }) => isTerminated));
  });

  it("needs one thread for blocks that come one after the other", async () => {
    const bench = new Bench({ maxThreads: 3 });
    for (let i = 0; i < 5; i++) {
      await bench.add(1);
      bench.threads[0]!.open();
      bench.threads[0]!.answer();
      assert.deepEqual(await bench.results.at(-1), new Uint8Array(20));
    }
    assert.equal(bench.threads.length, 1);
  });

  it("holds a bounded number of blocks", async () => {
    const bench = new Bench({ maxThreads: 2 });
    for (let i = 0; i < 100; i++) await bench.add(1);
    const held = () => bench.work.flat().length;
    assert.equal(held(), 64);
    for (let i = 0; i < 20; i++) {
      bench.threads[0]!.answer();
      await settled();
    }
    assert(held() <= 64);
    while (held() > 0) {
      for (const thread of bench.threads) if (thread.calls.length > 0) thread.answer();
      await settled();
      assert(held() <= 64);
    }
    assert((await Promise.all(bench.results)).every((senders) => senders !== undefined));
  });

  it("holds a bounded number of bytes, and a block above it alone", async () => {
    const bench = new Bench({ maxThreads: 1 });
    for (const size of [3, 3, 3, 1, 20, 1]) await bench.add(size * MEBIBYTE);
    const { threads, results } = bench;
    const held = () => bench.work.flat().map((size) => size / MEBIBYTE);
    assert.deepEqual(held(), [3, 3, 1]);
    threads[0]!.answer();
    await settled();
    assert.deepEqual(held(), [3, 1, 3]);
    for (const expected of [[1, 3], [3], [20], [1], []]) {
      threads[0]!.answer();
      await settled();
      assert.deepEqual(held(), expected);
    }
    await Promise.all(results);
  });

  it("goes on without a thread that fails, whose blocks have no signers", async () => {
    const bench = new Bench({ maxThreads: 2 });
    for (let i = 0; i < 4; i++) await bench.add(1);
    const [broken, sound] = bench.threads as [ManualThread, ManualThread];
    sound.open();
    assert.deepEqual(bench.work, [
      [1, 1],
      [1, 1],
    ]);
    for (const { reject } of broken.calls.splice(0)) reject(new Error("out of memory"));
    await settled();
    assert(broken.isTerminated);
    await bench.add(1);
    assert.equal(bench.threads.length, 3, "another thread is started");
    while (sound.calls.length > 0) sound.answer();
    const recovered = (await Promise.all(bench.results)).map((senders) => senders !== undefined);
    assert.deepEqual(recovered, [false, false, true, true, true]);
  });

  it("recovers only signers that are unknown", async () => {
    const [entry] = (await chainEntries("transfers")).filter(({ rlp }) => decoded(rlp).transactions.length > 3);
    const bytes = entry!.rlp;
    const { transactions } = decoded(bytes);
    const senders = transactions.map(({ sender }) => sender);
    // Signer that differs from the real one, so that a recovery would show.
    const given = new Uint8Array(20).fill(9);
    const recovery = new SenderRecovery();
    const packed = await recovery.recover({
      bytes,
      senders: packSenders(senders.map((_, i) => (i === 1 ? given : undefined))),
    });
    await recovery.close();
    const fresh = decoded(bytes).transactions;
    applySenders(fresh, packed!);
    assert(fresh.every(({ hasSender }) => hasSender));
    assert.deepEqual(
      fresh.map(({ sender }) => sender),
      senders.with(1, given),
    );
  });
});

function decoded(bytes: Uint8Array): Block {
  return Block.decode(bytes, NETWORKS.local);
}
