import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import {
  BatchFollower,
  BatchLogReader,
  batchLogMemory,
  copyRunningDatabase,
  openLevelDatabase,
} from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { chainEntries } from "@cambium/test-utils/chain-files";
import { type ChainEvent, prepareDatabase, ReplicaChain, ThreadedChain } from "../../src/index.js";

const network = NETWORKS.local;

/** The comparable parts of an event; its source differs. */
function summary(event: ChainEvent): unknown {
  const { kind, number, hash, block, receipts } = event;
  const blocks = event.kind === "reorg" ? [...event.reorganisation.removed, ...event.reorganisation.added] : [];
  return [kind, number, toHex(hash), toHex(block.hash), receipts.length, blocks.map(toHex)];
}

describe("chain of a replica", () => {
  let folder: string;
  const ends: (() => Promise<unknown>)[] = [];

  function kept<T extends { close(): Promise<unknown> }>(part: T): T {
    ends.push(() => part.close());
    return part;
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-replica-chain-"));
  });

  afterEach(async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    rmSync(folder, { recursive: true });
  });

  /** A writer, and a replica to which `follow` applies what the writer has written. */
  async function openBoth() {
    const [location, copy] = [join(folder, "writer"), join(folder, "replica")];
    const database = kept(await openLevelDatabase(location, { create: true }));
    await prepareDatabase({ network, database });
    await copyRunningDatabase(location, copy);
    kept(await openLevelDatabase(copy));
    const log = { memory: batchLogMemory(), maxBytes: 1e9 };
    const reader = kept(await BatchLogReader.open(location, log));
    const writer = kept(await ThreadedChain.open({ network, location, isOpen: true, log }));
    const replica = kept(
      await ReplicaChain.open({ network, location: copy, onListenerError: (error) => assert.fail(String(error)) }),
    );
    const follower = kept(await BatchFollower.open(copy, (error) => assert.fail(error)));
    const follow = async () => {
      for (const batch of reader.batches(follower.last.sequence + 1)) {
        await replica.apply(batch.packed, () => follower.apply(batch));
      }
    };
    return { writer, replica, follow };
  }

  it("emits the events of its writer, with the same blocks, through reorganisations", async () => {
    const { writer, replica, follow } = await openBoth();
    const [written, followed]: [unknown[], unknown[]] = [[], []];
    writer.on((event) => event.kind !== "sideBlock" && written.push(summary(event)));
    replica.on((event) => {
      assert.deepEqual(replica.best().hash, event.hash);
      followed.push(summary(event));
    });
    // Import one after the other: blocks that are written together are announced as one change.
    for (const { rlp } of await chainEntries("uncles-and-reorgs")) {
      await writer.import({ bytes: rlp, source: "file" });
      await follow();
    }
    assert.ok(written.some((one) => (one as string[])[0] === "reorg"));
    assert.deepEqual(followed, written);
    const { hash } = writer.best();
    assert.deepEqual(
      replica.stateAfter(hash)?.getBalance(new Uint8Array(20)),
      writer.stateAfter(hash)?.getBalance(new Uint8Array(20)),
    );
  });

  it("announces each of the blocks that were written together, in order", async () => {
    const { writer, replica, follow } = await openBoth();
    const numbers: number[] = [];
    replica.on(({ number }) => numbers.push(number));
    const entries = await chainEntries("transfers");
    await Promise.all(entries.map(({ rlp }) => writer.import({ bytes: rlp, source: "file" })));
    await follow();
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => i + 1),
    );
    assert.deepEqual(replica.best().hash, writer.best().hash);
  });

  it("shows removed blocks to its listeners when the writer forgets them", async () => {
    const { writer, replica, follow } = await openBoth();
    for (const { rlp } of await chainEntries("transfers")) await writer.import({ bytes: rlp, source: "file" });
    await follow();
    const ancestor = writer.hashByNumber(1)!;
    const removed: (number | undefined)[] = [];
    replica.on((event) => {
      assert.equal(event.kind, "reorg");
      if (event.kind !== "reorg") return;
      removed.push(...event.reorganisation.removed.map((hash) => replica.blockByHash(hash)?.number));
    });
    const best = writer.best().header.number;
    await writer.rewind(ancestor);
    await follow();
    assert.deepEqual(
      removed,
      Array.from({ length: best - 1 }, (_, i) => i + 2),
    );
    assert.deepEqual(replica.best().hash, ancestor);
    assert.equal(replica.headerByNumber(2), undefined);
  });
});
