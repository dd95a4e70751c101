import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "@cambium/primitives";
import { TxPoolError } from "../src/errors.js";
import { openTransactionPool, TransactionJournal } from "../src/index.js";
import { addressOf, FakeChain, noEvm, RICH, signed } from "./support.js";

const MIB = 1024 * 1024;

describe("journal", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pool-journal-"));
    path = join(folder, "transactions");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const chain = () => new FakeChain(new Map([[toHex(addressOf("A")), { nonce: 0n, balance: RICH }]]));

  function open(on: FakeChain, onError?: (error: unknown) => void) {
    const journal = new TransactionJournal(path);
    return openTransactionPool({ chain: on.asPoolChain, evm: noEvm, now: () => 0, journal, onError });
  }

  const [a0, a1, a3] = [signed("A"), signed("A", { nonce: 1n }), signed("A", { nonce: 3n })];
  const hashes = (transactions: readonly { hash: Uint8Array }[]) => transactions.map(({ hash }) => toHex(hash));

  it("restores local transactions after a restart, and no others", () => {
    const its = chain();
    const pool = open(its);
    pool.addAll([a0, a3], { local: true });
    pool.add(a1, { local: false });
    pool.close();
    const again = open(its);
    assert.deepEqual(hashes(again.ordered()), hashes([a0]));
    assert.deepEqual(hashes(again.queued().map(({ transaction }) => transaction)), hashes([a3]));
    assert.equal(again.pending()[0]!.isLocal, true);
    again.close();
  });

  it("drops transactions mined meanwhile", () => {
    const its = chain();
    const pool = open(its);
    pool.addAll([a0, a1], { local: true });
    pool.close();
    its.extend({ transactions: [a0] });
    const again = open(its);
    assert.deepEqual(hashes(again.ordered()), hashes([a1]));
    again.close();
    assert.equal(new TransactionJournal(path).load().length, 1);
  });

  it("does not bring back what was evicted or cleared", () => {
    const its = chain();
    const pool = open(its);
    pool.addAll([a0, a1, a3], { local: true });
    pool.evict([a1.hash], "dropped");
    pool.close();
    const again = open(its);
    assert.deepEqual(hashes(again.ordered()), hashes([a0]));
    assert.deepEqual(hashes(again.queued().map(({ transaction }) => transaction)), hashes([a3]));
    again.clear();
    again.add(a1, { local: true });
    again.close();
    const last = open(its);
    assert.deepEqual(
      [...last.ordered(), ...last.queued().map((one) => one.transaction)].map(({ hash }) => toHex(hash)),
      [toHex(a1.hash)],
    );
    last.close();
    // A line that a crash has truncated drops nothing.
    for (const partial of ["\ndrop ", "\ndrop 00", "\nclea"]) appendFileSync(path, partial);
    assert.deepEqual(hashes(new TransactionJournal(path).load()), hashes([a1]));
  });

  it("writes the file before the admission returns", () => {
    const pool = open(chain());
    pool.add(a0, { local: true });
    assert.deepEqual(hashes(new TransactionJournal(path).load()), hashes([a0]));
    pool.close();
  });

  it("tolerates a truncated last line, and appends after it", () => {
    const journal = new TransactionJournal(path);
    for (const transaction of [a0, a1]) journal.append(transaction, () => []);
    journal.close();
    const whole = statSync(path).size;
    for (let cut = 1; cut < whole / 2; cut += 7) {
      truncateSync(path, whole - cut);
      const later = new TransactionJournal(path);
      assert.deepEqual(hashes(later.load()).slice(0, 1), hashes([a0]));
      later.append(a3, () => []);
      assert.equal(hashes(later.load()).at(-1), toHex(a3.hash));
      later.rewrite([a0, a1]);
      assert.equal(statSync(path).size, whole);
    }
    appendFileSync(path, "\nno hex\n\nc0\n\u0000\n");
    assert.deepEqual(hashes(journal.load()), hashes([a0, a1]));
  });

  it("is rewritten with the live transactions when it has doubled, however small they are", () => {
    const journal = new TransactionJournal(path);
    const large = signed("A", { data: new Uint8Array(30_000) });
    const line = 2 * large.size + 2;
    for (const alive of [1, 100]) {
      const live = [a0, ...Array(alive).fill(large)];
      let rewrites = 0;
      for (let i = 0; i < 400; i++) {
        journal.append(large, () => {
          rewrites++;
          return live;
        });
        assert.ok(statSync(path).size < Math.max(2 * (alive + 1) * line, 2 * MIB), `${statSync(path).size}`);
      }
      assert.ok(rewrites > 0 && rewrites < 400 / 15, `${rewrites} rewrites`);
      assert.equal(hashes(journal.load())[0], toHex(a0.hash));
    }
    journal.close();
  });

  it("continues if the file cannot be written", () => {
    const errors: unknown[] = [];
    const its = chain();
    const pool = open(its, (error) => errors.push(error));
    rmSync(folder, { recursive: true });
    assert.equal(pool.add(a0, { local: true }).kind, "pending");
    assert.ok(errors[0] instanceof TxPoolError && errors[0].code === "JOURNAL_FILE");
    pool.close();
    mkdirSync(folder);
  });

  it("fails if the file cannot be read", () => {
    assert.throws(() => new TransactionJournal(folder).load(), { code: "JOURNAL_FILE" });
    assert.deepEqual(new TransactionJournal(path).load(), []);
    assert.throws(() => readFileSync(path));
  });
});
