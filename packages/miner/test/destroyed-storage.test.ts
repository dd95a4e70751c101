import assert from "node:assert/strict";
import { type Chain, type ChainOptions, localBlock, openChain } from "@cambium/chain";
import { checkDatabase } from "@cambium/chain-maintenance";
import { TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { MemoryDatabase, numberKey } from "@cambium/database";
import { bigintToFixedBytes, fromHex } from "@cambium/primitives";
import { atDepth } from "@cambium/test-utils/depth";
import type { Block } from "@cambium/types";
import { BlockBuilder } from "../src/index.js";
import { ListPool, NOW, network, REWARD, signed, solve } from "./support.js";

/** More than a call can have arguments. */
const CELLS = atDepth(60_000, 300_000);
const CONTRACT = new Uint8Array(20).fill(0xdd);
/** CALLER SELFDESTRUCT */
const CODE = fromHex("33ff");

/** The local network with a contract that has many cells and destroys itself when it is called. */
const crowded: NetworkConfig = {
  ...network,
  genesis: {
    ...network.genesis,
    accounts: [
      ...network.genesis.accounts,
      {
        address: CONTRACT,
        balance: 0n,
        code: CODE,
        storage: Array.from({ length: CELLS }, (_, i) => ({
          slot: bigintToFixedBytes(BigInt(i), 32),
          value: Uint8Array.of(1),
        })),
      },
    ],
  },
};

interface Node {
  database: MemoryDatabase;
  chain: Chain;
}

/** The first and the last cell, and the length of the code, after a block. */
function contract(chain: Chain, hash: Uint8Array): [bigint, bigint, number] {
  const state = chain.stateAfter(hash)!;
  const last = BigInt(CELLS - 1);
  return [state.getStorage(CONTRACT, 0n), state.getStorage(CONTRACT, last), state.getCodeSize(CONTRACT)];
}

for (const largeStorage of [undefined, Number.POSITIVE_INFINITY]) {
  const how = largeStorage === undefined ? "" : ", one by one";
  describe(`a block that destroys a contract with many cells${how}`, () => {
    let blocks: Block[];
    let miner: Node;

    async function open(database = new MemoryDatabase()): Promise<Node> {
      const flatState: ChainOptions["flatState"] = largeStorage === undefined ? {} : { largeStorage };
      return { database, chain: await openChain({ network: crowded, database, now: () => NOW, flatState }) };
    }

    before(async () => {
      miner = await open();
      const pool = new ListPool(signed("cow", { to: CONTRACT, gasLimit: 100_000n, value: 0n }));
      const settings = { rewardAddress: REWARD, identity: "TEST-1", timeBudget: 60_000 };
      const builder = new BlockBuilder({ chain: miner.chain, pool, now: () => NOW * 1000 }, settings);
      blocks = [];
      for (let i = 0; i < 3; i++) {
        const block = await solve(builder.build(), crowded);
        blocks.push(block);
        assert.equal((await miner.chain.import(localBlock(block))).kind, "imported-best");
        pool.settle(miner.chain);
      }
      assert.equal(blocks[0]!.transactions.length, 2);
    });

    it("is imported by other nodes, survives a restart, and leaves a sound database", async () => {
      const follower = await open();
      for (const block of blocks) assert.equal((await follower.chain.import(localBlock(block))).kind, "imported-best");
      const diff = follower.database.get(TABLES.stateDiffs, numberKey(1))!;
      assert(largeStorage === undefined ? diff.length < 2_000 : diff.length > 50 * CELLS, `${diff.length} bytes`);
      await follower.chain.close();
      const { chain, database } = await open(follower.database);
      assert.deepEqual(contract(chain, chain.genesis.hash), [1n, 1n, CODE.length]);
      for (const { hash } of blocks) assert.deepEqual(contract(chain, hash), [0n, 0n, 0]);
      assert.deepEqual((await checkDatabase(database, crowded, { deep: true })).problems, []);
    });

    it("is rewound and imported again", async () => {
      const { chain, database } = miner;
      await chain.rewind(chain.genesis.hash);
      assert.deepEqual(contract(chain, chain.genesis.hash), [1n, 1n, CODE.length]);
      for (const block of blocks) assert.equal((await chain.import(localBlock(block))).kind, "imported-best");
      assert.deepEqual(contract(chain, blocks[2]!.hash), [0n, 0n, 0]);
      assert.deepEqual((await checkDatabase(database, crowded, { deep: true })).problems, []);
    });
  });
}
