import assert from "node:assert/strict";
import { keccak256, numberToBytes, toHex } from "@cambium/primitives";
import { atDepth } from "@cambium/test-utils/depth";
import type { Transaction } from "@cambium/types";
import { type Accounts, addressOf, RICH, type Setting, settingOf, signed, unsigned } from "./support.js";

const ATTACKERS = 10_000;
const ROUNDS = atDepth(5, 20);
const HONEST = 100;

function attacker(index: number): Uint8Array {
  return keccak256(numberToBytes(index + 1)).slice(12);
}

/** One round of 10 000 attackers: prices are above the minimum, but below those of honest senders. */
const rounds: readonly ((index: number, round: number) => Transaction)[] = [
  // nonce gaps, some of which are filled later
  (i, round) => unsigned(attacker(i), { nonce: BigInt(1 + (round % 15)), gasPrice: 150n, value: BigInt(round) }),
  // the full window of nonces
  (i, round) => unsigned(attacker(i), { nonce: BigInt(round % 16), gasPrice: 110n }),
  // replacements, mostly too cheap
  (i, round) => unsigned(attacker(i), { nonce: 0n, gasPrice: 110n + BigInt(round), value: BigInt(round) }),
  // duplicates
  (i) => unsigned(attacker(i), { nonce: 0n, gasPrice: 110n }),
  // large ones without funds
  (i, round) => unsigned(attacker(i), { nonce: BigInt(round % 16), value: RICH * 2n, data: new Uint8Array(200) }),
];

function settled(options = {}): Setting {
  const accounts: Accounts = new Map();
  for (let i = 0; i < ATTACKERS; i++) accounts.set(toHex(attacker(i)), { nonce: 0n, balance: RICH });
  for (let i = 0; i < HONEST; i++) accounts.set(toHex(addressOf(`honest ${i}`)), { nonce: 0n, balance: RICH });
  return settingOf(accounts, { rateLimit: true, ...options });
}

describe("an attack", () => {
  it(`with ${ROUNDS * ATTACKERS} transactions from ${ATTACKERS} accounts does not evict honest ones`, () => {
    const { pool, clock, chain } = settled();
    const held: Transaction[] = [];
    const before = memory();
    for (let round = 0; round < ROUNDS; round++) {
      const make = rounds[round % rounds.length]!;
      for (let i = 0; i < ATTACKERS; i++) pool.add(make(i, round), { local: false });
      clock.now += 5;
      for (let i = held.length, end = ((round + 1) * HONEST) / ROUNDS; i < end; i++) {
        const own = signed(`honest ${i}`, { gasPrice: 200n });
        assert.equal(pool.add(own, { local: false }).kind, "pending");
        held.push(own);
      }
      const { pending, queued, bytes } = pool.counts();
      assert.ok(pending + queued <= 20_000 && queued <= 4_000 && bytes <= 256 * 1024 * 1024);
      if (round % 4 === 3) chain.extend();
    }
    for (const { hash } of held) assert.equal(pool.get(hash)?.isPending, true);
    assert.deepEqual(
      new Set(
        pool
          .ordered()
          .slice(0, HONEST)
          .map(({ hash }) => toHex(hash)),
      ),
      hashesOf(held),
    );
    assert.ok(memory() - before < 300, `${memory() - before} MiB`);
  });

  it("that fills the queue does not exclude others", () => {
    const { pool } = settled();
    for (let nonce = 15n; nonce >= 1n; nonce--) {
      for (let i = 0; i < 1000; i++) pool.add(unsigned(attacker(i), { nonce, gasPrice: 8000n }), { local: false });
    }
    assert.equal(pool.counts().queued, 4000);
    for (let i = 0; i < HONEST; i++) {
      const queued = signed(`honest ${i}`, { nonce: 1n });
      assert.equal(pool.add(queued, { local: false }).kind, "queued");
      assert.equal(pool.add(signed(`honest ${i}`), { local: false }).kind, "pending");
      assert.equal(pool.get(queued.hash)?.isPending, true);
    }
    assert.equal(pool.counts().pending, 2 * HONEST);
  });
});

function hashesOf(transactions: readonly Transaction[]): Set<string> {
  return new Set(transactions.map(({ hash }) => toHex(hash)));
}

/** Heap in use, in MiB. */
function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
