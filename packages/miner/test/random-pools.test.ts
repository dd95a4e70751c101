import assert from "node:assert/strict";
import { localBlock, openChain } from "@cambium/chain";
import { TABLES } from "@cambium/chain-store";
import { BRIDGE_ADDRESS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { contractAddress, contractAddress2, fromHex, keccak256, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import type { Transaction } from "@cambium/types";
import { BlockBuilder } from "../src/index.js";
import { addressOf, bench, deploying, ListPool, NOW, network, REWARD, signed, solve, withoutLists } from "./support.js";

const SENDERS = ["cow", "cow1", "cow2", "cow3", "cow4", "cow5"];
const CHILD_INIT = "6133ff5f526002601ef3";

/** Contracts whose transactions share keys in different ways; each is deployed by a separate sender. */
const CONTRACTS: Record<string, string> = {
  // slot[input] += 1
  cow6: "5f3580546001019055",
  // slot[input] = balance of the address 7777…
  cow7: `73${"07".repeat(20)}315f3555`,
  // creates a contract with CREATE2 that self-destructs on the first call, or calls the existing one
  cow8: `7f${CHILD_INIT.padEnd(64, "0")}5f525f600a5f5ff55f5500`,
  // calls the bridge and then reverts
  cow9: `5f5f5f5f5f73${toHex(BRIDGE_ADDRESS)}617530f15f5ffd`,
};
const [counter, watcher, maker, relay] = Object.keys(CONTRACTS).map((name) => contractAddress(addressOf(name), 0n));
const child = contractAddress2(maker!, new Uint8Array(32), keccak256(fromHex(CHILD_INIT)));
const RECEIVERS = [
  counter!,
  watcher!,
  maker!,
  relay!,
  child,
  BRIDGE_ADDRESS,
  new Uint8Array(20).fill(7),
  addressOf("cow"),
];

const request = fc.record({
  sender: fc.constantFrom(...SENDERS, "poor"),
  /** Mostly the next nonce. */
  gap: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -1, max: 2 }) }),
  gasPrice: fc.bigInt({ min: 0n, max: 120n }),
  gasLimit: fc.oneof(
    { weight: 6, arbitrary: fc.bigInt({ min: 60_000n, max: 400_000n }) },
    { weight: 2, arbitrary: fc.bigInt({ min: 1_000_000n, max: 4_000_000n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: 20_000n, max: 10_000_000n }) },
  ),
  to: fc.option(fc.constantFrom(...RECEIVERS), { freq: 8, nil: undefined }),
  value: fc.constantFrom(0n, 0n, 1n, 10n ** 40n),
  slot: fc.integer({ min: 0, max: 3 }),
});

/** A pool with every kind of transaction. */
function poolOf(
  requests: readonly (typeof request extends fc.Arbitrary<infer T> ? T : never)[],
  used: Map<string, bigint>,
) {
  const next = new Map(used);
  return requests.map(({ sender, gap, slot, ...own }): Transaction => {
    const nonce = next.get(sender) ?? 0n;
    next.set(sender, nonce + 1n);
    const shifted = nonce + BigInt(gap);
    const data = own.to === undefined ? deploying(CONTRACTS.cow6!) : Uint8Array.of(...new Uint8Array(31), slot);
    return signed(sender, { ...own, data, nonce: shifted < 0n ? 0n : shifted });
  });
}

/** Gas limit with room for several transactions in the parallel lists. */
const GAS_LIMIT = 24_000_000;

async function prepared(rules: NetworkConfig) {
  const chosen = { ...rules, genesis: { ...rules.genesis, gasLimit: GAS_LIMIT } };
  const gasLimit = { target: BigInt(GAS_LIMIT), force: true };
  const made = await bench({ network: chosen, minimumGasPrice: () => 1n, gasLimit });
  made.pool.transactions = Object.entries(CONTRACTS).map(([name, code]) =>
    signed(name, { to: undefined, data: deploying(code), gasLimit: 400_000n, value: 0n }),
  );
  await made.mine();
  assert(made.chain.stateAfter(made.chain.best().hash)!.getCodeSize(relay!) > 0);
  return made;
}

async function entries(database: MemoryDatabase, table: number): Promise<[string, string][]> {
  const all: [string, string][] = [];
  for await (const { key, value } of database.entries(table)) all.push([toHex(key), toHex(value)]);
  return all;
}

describe("templates from random pools", () => {
  for (const [name, chosen] of [
    ["with execution lists", network],
    ["without execution lists", withoutLists],
  ] as const) {
    it(`${name}: import accepts every one`, async () => {
      let parallel = 0;
      let included = 0;
      const made = await prepared(chosen);
      const pools = fc.array(fc.array(request, { maxLength: 14 }), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(pools, async (blocks) => {
          for (const requests of blocks) {
            const state = made.chain.stateAfter(made.chain.best().hash)!;
            const nonces = new Map(SENDERS.map((sender) => [sender, state.getNonce(addressOf(sender))]));
            made.pool.transactions = poolOf(requests, nonces);
            const { header, transactions } = await made.mine();
            parallel += header.executionEdges?.length === 2 ? 1 : 0;
            included += transactions.length - 1;
          }
        }),
        { numRuns: runs(120) },
      );
      assert(included > 200, String(included));
      assert(chosen === withoutLists || parallel > 20, String(parallel));
    });
  }

  for (const [name, chosen] of [
    ["with execution lists", network],
    ["without execution lists", withoutLists],
  ] as const) {
    it(`${name}: a block that is filled again equals a new one`, async () => {
      const { builder, chain } = await prepared(chosen);
      const state = chain.stateAfter(chain.best().hash)!;
      const nonces = new Map(SENDERS.map((sender) => [sender, state.getNonce(addressOf(sender))]));
      const changes = fc.array(fc.array(fc.nat(13), { maxLength: 10 }), { minLength: 1, maxLength: 4 });
      fc.assert(
        fc.property(fc.array(request, { maxLength: 14 }), changes, (requests, orders) => {
          const pool = poolOf(requests, nonces);
          const open = builder.open();
          for (const order of [pool.keys(), ...orders]) {
            const ordered = [...new Set(order)].flatMap((index) => pool[index] ?? []);
            open.fill(ordered);
            const fresh = builder.open();
            fresh.fill(ordered);
            const [refilled, expected] = [open.build(), fresh.build()];
            assert.deepEqual(refilled.template, expected.template);
            assert.deepEqual(refilled.state.root, refilled.template.header.stateRoot);
          }
        }),
        { numRuns: runs(60) },
      );
    });
  }

  it("with the results of their building: import stores the same as after an execution of its own", async () => {
    const here = new MemoryDatabase();
    const there = new MemoryDatabase();
    const chain = await openChain({ network, database: here, now: () => NOW });
    const executing = await openChain({ network, database: there, now: () => NOW });
    const pool = new ListPool();
    const parents = {
      stateAfter: (hash: Uint8Array) => chain.stateToBuildOn(hash),
      ancestors: (hash: Uint8Array) => chain.branchToBuildOn(hash),
    };
    const builder = new BlockBuilder(
      { chain, parents, pool, now: () => NOW * 1000 },
      { rewardAddress: REWARD, identity: "TEST-1", timeBudget: 60_000 },
    );
    let [known, executed] = [0, 0];
    const mine = async () => {
      const template = builder.build();
      const block = await solve(template);
      template.execution === undefined ? executed++ : known++;
      assert.equal((await chain.import(localBlock(block, template.execution))).kind, "imported-best");
      assert.equal((await executing.import(localBlock(block))).kind, "imported-best");
      assert.deepEqual(chain.receipts(block.hash), executing.receipts(block.hash));
    };
    pool.transactions = Object.entries(CONTRACTS).map(([name, code]) =>
      signed(name, { to: undefined, data: deploying(code), gasLimit: 400_000n, value: 0n }),
    );
    await mine();
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 4 }), async (requests) => {
        const state = chain.stateAfter(chain.best().hash)!;
        const nonces = new Map(SENDERS.map((sender) => [sender, state.getNonce(addressOf(sender))]));
        pool.transactions = poolOf(requests, nonces);
        await mine();
      }),
      { numRuns: runs(120) },
    );
    assert(known > 40 && executed > 10, `${known} ${executed}`);
    for (const table of Object.values(TABLES))
      assert.deepEqual(await entries(here, table), await entries(there, table));
  });

  it("are identical if built twice", async () => {
    const made = await prepared(network);
    made.pool.transactions = SENDERS.map((sender, i) => signed(sender, { to: RECEIVERS[i]!, gasLimit: 100_000n }));
    const [a, b] = [made.builder.build(), made.builder.build()];
    assert.deepEqual(a.header.encode("full"), b.header.encode("full"));
    assert.equal((await made.chain.import(localBlock(await solve(a)))).kind, "imported-best");
  });
});
