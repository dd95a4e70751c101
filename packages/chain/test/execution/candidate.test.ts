import assert from "node:assert/strict";
import { ChainError } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { EMPTY_BYTES, fromHex } from "@cambium/primitives";
import { JournaledState, packChanges } from "@cambium/state";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import type { Block } from "@cambium/types";
import { type Chain, createChainEvm, executeBlock, localBlock, openChain } from "../../src/index.js";
import type { ExecutedCandidate } from "../../src/interface.js";

const network = NETWORKS.local;
const CELL = 5n;
const STRANGER = new Uint8Array(20).fill(0x77);
/** Stores 1 in cell 5 and returns the block number. */
const STORING = fromHex("60016005554360005260206000f3");

/** Opens a block after executing it as a miner does. */
function executed(chain: Chain, block: Block): ExecutedCandidate {
  const { parentHash } = block.header;
  const state = new JournaledState(chain.stateAfter(parentHash)!);
  executeBlock({ block, state, evm: createChainEvm(network), network, ancestors: chain.ancestors(parentHash) });
  return chain.openCandidate(block.header, packChanges(state.commit().changes, Number.POSITIVE_INFINITY)!);
}

describe("a block that is not stored", () => {
  let blocks: readonly Block[];
  let chain: Chain;

  before(async () => {
    blocks = (await chainBlocks("contracts")).slice(0, 40);
    chain = await openChain({ network, database: new MemoryDatabase() });
  });

  it("has the same state as once it is stored", async () => {
    for (const block of blocks) {
      const before = chain.best();
      const { state, header } = executed(chain, block);
      assert.equal(header, block.header);
      const { outcomes } = chain.replay(block, () => undefined);
      assert.deepEqual(chain.best(), before);
      assert.equal(chain.headerByHash(block.hash), undefined);
      assert.equal((await chain.import(localBlock(block))).kind, "imported-best");
      assert.deepEqual(outcomes, chain.replay(block.hash, () => undefined).outcomes);
      const stored = chain.stateAfter(block.hash)!;
      assert.deepEqual([...state.accounts()], [...stored.accounts()]);
      for (const { address } of stored.accounts()) {
        assert.deepEqual(state.getCode(address), stored.getCode(address));
        assert.deepEqual([...state.storageEntries(address)], [...stored.storageEntries(address)]);
      }
    }
  });

  it("executes any number of calls without side effects", () => {
    const last = blocks.at(-1)!;
    const candidate = executed(chain, last);
    const request = { from: STRANGER, data: EMPTY_BYTES, value: 0n, gasPrice: 0n, gasLimit: 100_000n };
    for (let i = 0; i < 3; i++) {
      const outcome = candidate.call({ ...request, to: STRANGER }, (state) => {
        assert.equal(state.getStorage(STRANGER, CELL), 0n);
        state.setCode(STRANGER, STORING);
      });
      assert.equal(Number(`0x${Buffer.from(outcome.output!).toString("hex")}`), last.number);
      assert.equal(candidate.state.getStorage(STRANGER, CELL), 0n);
      assert.equal(candidate.state.exists(STRANGER), false);
    }
  });

  it("requires a stored parent", async () => {
    const fresh = await openChain({ network, database: new MemoryDatabase() });
    const noNodes = new Uint8Array(8);
    assert.throws(() => fresh.openCandidate(blocks[1]!.header, noNodes), ChainError);
    assert.throws(() => fresh.replay(blocks[1]!, () => undefined), ChainError);
  });
});
