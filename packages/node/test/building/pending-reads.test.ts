import assert from "node:assert/strict";
import { fromHex, toHex } from "@cambium/primitives";
import type { StateView } from "@cambium/state";
import type { TransactionPool } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";
import { BuildingHere } from "../../src/building/building-here.js";
import { PendingReads, type PendingReadsParts } from "../../src/building/pending-reads.js";
import { type Building, transfer, withBuilding } from "./support.js";

/** Creation code that stores the number of the block in cell 0. */
const CREATION = fromHex("435f55");

type Reader = (building: Building) => PendingReadsParts["client"];

/** Runs an action with the reads of a chain. */
async function withReads(
  reader: Reader,
  action: (building: Building, reads: PendingReads) => Promise<void>,
): Promise<void> {
  await withBuilding(async (building) => {
    const { chain, pool, miner } = building;
    const next = () => miner.next.request;
    const reads = new PendingReads({ chain, pool: pool as unknown as TransactionPool, client: reader(building), next });
    try {
      await action(building, reads);
    } finally {
      await reads.close();
    }
  });
}

/** Returns the whole content of a state as text. */
function contentOf(state: StateView): string[] {
  return [...state.accounts()].map(({ address, nonce, balance }) => {
    const cells = [...state.storageEntries(address)].map(({ key, value }) => `${toHex(key)}=${toHex(value)}`);
    return [toHex(address), nonce, balance, toHex(state.getCode(address)), ...cells].join(" ");
  });
}

const hashes = (transactions: readonly Transaction[]) => transactions.map(({ hash }) => toHex(hash)).sort();

const READERS: Readonly<Record<string, Reader>> = {
  "a thread of their own": ({ options }) => options,
  "the calling thread": ({ chain, options }) => new BuildingHere(chain, options.data.options),
};

for (const [where, reader] of Object.entries(READERS))
  describe(`reads at pending in ${where}`, () => {
    it("receive a block and its state, as if it were mined", async () => {
      await withReads(reader, async ({ chain, pool, miner }, reads) => {
        for (let nonce = 0n; nonce < 3n; nonce++) {
          const names = ["cow", "cow1", "cow2"];
          pool.transactions = names.map((name) => transfer(name, { nonce, value: nonce }));
          assert.equal((await reads.block()).block.transactions.length, 4);
          const creation = { nonce, to: undefined, data: CREATION, gasLimit: 100_000n };
          pool.transactions = [...pool.transactions, transfer("cow3", creation)];
          const { block, stateChanges } = await reads.block();
          const content = contentOf(chain.openCandidate(block.header, stateChanges!).state);
          const { hash } = await miner.mine();
          assert.deepEqual(content, contentOf(chain.stateAfter(hash)!));
          assert.deepEqual(hashes(block.transactions), hashes(chain.blockByHash(hash)!.transactions));
        }
      });
    });

    it("follow the clock of the next block, and what is chosen for it", async () => {
      await withReads(reader, async ({ chain, miner }, reads) => {
        const header = async () => (await reads.block()).block.header;
        const before = (await header()).timestamp;
        miner.increaseTime(1000);
        assert((await header()).timestamp >= before + 1000n);
        miner.next.setTimestamp(before + 5000n);
        miner.next.coinbase = new Uint8Array(20).fill(7);
        const { timestamp, coinbase } = await header();
        assert.deepEqual([timestamp, coinbase], [before + 5000n, miner.next.coinbase]);
        const { hash } = await miner.mine();
        assert.equal(chain.headerByHash(hash)!.timestamp, timestamp);
        assert((await header()).timestamp >= timestamp);
      });
    });
  });
