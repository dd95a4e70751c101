import assert from "node:assert/strict";
import { type Chain, checkDatabase, localBlock, openChain } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { bigintToFixedBytes, fromHex } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { BlockBuilder } from "../src/index.js";
import { ListPool, NOW, network, REWARD, signed, solve } from "./support.js";

/** More than the arguments that a call may have. */
const CELLS = 300_000;
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

async function open(database = new MemoryDatabase()): Promise<Node> {
  return { database, chain: await openChain({ network: crowded, database, now: () => NOW }) };
}

/** The first and the last cell, and whether there is code, after a block. */
function contract(chain: Chain, hash: Uint8Array): [bigint, bigint, number] {
  const state = chain.stateAfter(hash)!;
  return [state.getStorage(CONTRACT, 0n), state.getStorage(CONTRACT, BigInt(CELLS - 1)), state.getCodeSize(CONTRACT)];
}

describe("a block that destroys a contract with many cells", () => {
  let blocks: Block[];
  let miner: Node;

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
    await follower.chain.close();
    const { chain, database } = await open(follower.database);
    const genesis = chain.genesis.hash;
    assert.deepEqual(contract(chain, genesis), [1n, 1n, CODE.length]);
    for (const { hash } of blocks) assert.deepEqual(contract(chain, hash), [0n, 0n, 0]);
    assert.deepEqual((await checkDatabase(database, crowded, { deep: true })).problems, []);
  });

  it("is rewound and imported again", async () => {
    const { chain, database } = miner;
    const genesis = chain.genesis.hash;
    await chain.rewind(genesis);
    assert.deepEqual(contract(chain, genesis), [1n, 1n, CODE.length]);
    for (const block of blocks) assert.equal((await chain.import(localBlock(block))).kind, "imported-best");
    assert.deepEqual(contract(chain, blocks[2]!.hash), [0n, 0n, 0]);
    assert.deepEqual((await checkDatabase(database, crowded, { deep: true })).problems, []);
  });
});
