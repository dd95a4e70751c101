import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { bytesToBigint, fromHex, fromQuantity, keccak256, leftPad, toData } from "@cambium/primitives";
import { Trie } from "@cambium/trie";
import { JournaledState, TrieStateView } from "../src/index.js";

const folder = resolve(process.env.CAMBIUM_VECTORS ?? "../shared/vectors", "state-tests");
/** One run in so many is looked at; 1 takes all of them. */
const STEP = Number(process.env.CAMBIUM_STATE_VECTOR_STEP ?? 10);

const NATIVE_CONTRACTS =
  "01 02 03 04 05 06 07 08 09 01000006 01000008 01000009 01000010 01000011 01000016 01000017".split(" ");

interface AccountBefore {
  nonce: string;
  balance: string;
  code?: string;
  storage?: Record<string, string>;
  contract?: boolean;
}

interface AccountAfter {
  nonce: string;
  balance: string;
  codeHash?: string;
  storage?: Record<string, string | null>;
  contract?: boolean;
}

interface StateTest {
  name: string;
  pre: Record<string, AccountBefore>;
  preRoot: string;
  runs: { id: string; postRoot: string; post: Record<string, AccountAfter | null> }[];
}

function readTests(file: string): StateTest[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StateTest);
}

function putRecord(state: JournaledState, address: Uint8Array, record: AccountBefore | AccountAfter): void {
  const balance = fromQuantity(record.balance);
  if (!state.exists(address)) state.createAccount(address);
  state.addBalance(address, balance - state.getBalance(address));
  state.setNonce(address, fromQuantity(record.nonce));
  if (record.contract) state.markContract(address);
}

function putBefore(state: JournaledState, pre: StateTest["pre"]): void {
  for (const [hex, account] of Object.entries(pre)) {
    const address = fromHex(hex);
    putRecord(state, address, account);
    if (account.code) state.setCode(address, fromHex(account.code));
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      state.setStorage(address, BigInt(slot), fromQuantity(value));
    }
  }
}

/** State after a run, or undefined when the vector does not have the code of an account. */
function stateAfter(test: StateTest, post: Record<string, AccountAfter | null>): JournaledState | undefined {
  const state = new JournaledState(new TrieStateView(new Trie()));
  putBefore(state, test.pre);
  state.commit();
  return putAfter(state, test, post) ? state : undefined;
}

/** Applies what a run changed; false when the vector does not have the code of an account, only its hash. */
function putAfter(state: JournaledState, test: StateTest, post: Record<string, AccountAfter | null>): boolean {
  for (const [hex, account] of Object.entries(post)) {
    const address = fromHex(hex);
    const code = test.pre[hex]?.code ?? "0x";
    if (account === null) {
      state.deleteAccount(address);
      continue;
    }
    if (account.codeHash !== undefined && account.codeHash !== toData(keccak256(fromHex(code)))) return false;
    // Only a deletion takes a marker away: the account was removed and came back.
    if (test.pre[hex]?.contract && !account.contract) state.deleteAccount(address);
    putRecord(state, address, account);
    if (account.codeHash === undefined && code !== "0x") state.setCode(address, new Uint8Array(0));
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      const key = leftPad(fromHex(slot), 32);
      const bytes = value === null ? undefined : fromHex(value);
      if (bytes !== undefined && bytes.length <= 32 && bytes[0] !== 0)
        state.setStorage(address, BigInt(slot), bytesToBigint(bytes));
      else state.setStorageBytes(address, key, bytes);
    }
  }
  return true;
}

/**
 * Whether the state has this root. A CALLCODE or DELEGATECALL to a native contract without an account leaves a marker
 * without account (spec/04 §12, 41), which the vectors' lists of accounts cannot show: likely ones are tried, too.
 */
function isRoot(build: () => JournaledState, root: string): boolean {
  return [[], ...NATIVE_CONTRACTS.map((native) => [native]), ["06", "07"], NATIVE_CONTRACTS.slice(0, 8)].some(
    (bare) => {
      const state = build();
      for (const native of bare) {
        const address = leftPad(fromHex(native), 20);
        if (!state.exists(address)) state.markContract(address);
      }
      return toData(state.commit().root) === root;
    },
  );
}

describe("state vectors", () => {
  if (!existsSync(folder)) return;
  const files = [folder, join(folder, "gst")].flatMap((path) =>
    readdirSync(path)
      .filter((name) => name.includes(".jsonl"))
      .map((name) => join(path, name)),
  );

  it("roots before and after, from accounts and differences", () => {
    let before = 0;
    let after = 0;
    for (const test of files.flatMap((file) => readTests(file)).filter((_, i) => i % STEP === 0)) {
      const state = new JournaledState(new TrieStateView(new Trie()));
      putBefore(state, test.pre);
      state.commit();
      assert.equal(toData(state.commit().root), test.preRoot, test.name);
      before++;
      for (const run of test.runs) {
        if (stateAfter(test, run.post) === undefined) continue;
        assert.ok(
          isRoot(() => stateAfter(test, run.post)!, run.postRoot),
          `${test.name} ${run.id}`,
        );
        after++;
      }
    }
    assert.ok(before > 400 / STEP && after > 4000 / STEP);
    process.stdout.write(`      ${before} roots before, ${after} after\n`);
  }).timeout(120_000);
});
