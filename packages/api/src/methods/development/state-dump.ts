import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { ChainReader } from "@cambium/chain";
import { REWARD_ADDRESS, STATE_EDITOR_ACCOUNT } from "@cambium/config";
import type { StateEdit } from "@cambium/contracts";
import { append, bigintToFixedBytes, equalBytes, stripLeadingZeros, toData, toQuantity } from "@cambium/primitives";
import type { StateView } from "@cambium/state";
import { invalidParams, RpcError } from "../../errors.js";
import { TurnTaker } from "../../limits/turns.js";
import { ADDRESS, DATA, NUMBER, objectOf } from "../../params/value-types.js";

/** Accounts and cells together, of a dump and of a state to load. */
const MAX_ENTRIES = 500_000;
/** Bytes of the text of a state to load. */
const MAX_TEXT = 256 * 2 ** 20;

/**
 * Accounts that cannot be moved to another chain: the reward contract refers to the blocks of its chain, and the state
 * editor sends the edits.
 */
const UNMOVED = [REWARD_ADDRESS, STATE_EDITOR_ACCOUNT];

function isUnmoved(address: Uint8Array): boolean {
  return UNMOVED.some((one) => equalBytes(one, address));
}

/**
 * Marks a dump whose cells have their stored form: without leading zeros for contracts, of any length for native
 * contracts. Anvil's dumps have words instead.
 */
const AS_STORED = "as stored";

/** An account of a dump; Anvil's have the same members. */
interface DumpedAccount {
  nonce: number;
  balance: string;
  code: string;
  storage: Record<string, string>;
}

/** The accounts of the best block as compressed JSON. Rejects with {@link RpcError} `LIMIT_EXCEEDED`. */
export async function dumpState(chain: ChainReader): Promise<Uint8Array> {
  const state = chain.stateAfter(chain.best().hash)!;
  const accounts: Record<string, DumpedAccount> = {};
  const turns = new TurnTaker();
  let entries = 0;
  for (const { address, nonce, balance } of state.accounts()) {
    if (address.length !== 20 || isUnmoved(address)) continue;
    const storage = storageOf(state, address, MAX_ENTRIES - entries);
    entries += 1 + Object.keys(storage).length;
    const code = toData(state.getCode(address));
    accounts[toData(address)] = { nonce: Number(nonce), balance: toQuantity(balance), code, storage };
    await turns.pause();
  }
  return promisify(gzip)(JSON.stringify({ accounts, cells: AS_STORED }));
}

function storageOf(state: StateView, address: Uint8Array, limit: number): Record<string, string> {
  const storage: Record<string, string> = {};
  let left = limit;
  for (const { key, value } of state.storageEntries(address)) {
    if (left-- <= 0) {
      throw new RpcError({ code: "LIMIT_EXCEEDED", text: `The state has more than ${MAX_ENTRIES} accounts and cells` });
    }
    storage[toData(key)] = toData(value);
  }
  return storage;
}

/**
 * Returns the changes that transfer the accounts of a dump to the state. Rejects with {@link RpcError}
 * `INVALID_PARAMS`.
 */
export async function editsOfDump(dump: Uint8Array): Promise<StateEdit[]> {
  const { accounts, cells } = objectOf(await parse(dump));
  const entries = Object.entries(objectOf(accounts));
  const edits: StateEdit[] = [];
  for (const [key, account] of entries) {
    const address = ADDRESS.parse(key);
    if (!isUnmoved(address)) append(edits, editsOfAccount(address, objectOf(account), cells === AS_STORED));
    if (edits.length > 4 * MAX_ENTRIES) throw invalidParams(`A state may have ${MAX_ENTRIES} accounts and cells`);
  }
  return edits;
}

async function parse(dump: Uint8Array): Promise<unknown> {
  try {
    const text = await promisify(gunzip)(dump, { maxOutputLength: MAX_TEXT });
    return JSON.parse(text.toString());
  } catch {
    throw invalidParams("Invalid state: expected JSON, compressed with gzip");
  }
}

function editsOfAccount(
  address: Uint8Array,
  account: Readonly<Record<string, unknown>>,
  isAsStored: boolean,
): StateEdit[] {
  const { nonce, balance, code, storage } = account;
  const edits: StateEdit[] = [{ address, kind: "removal" }];
  edits.push({ address, kind: "balance", balance: NUMBER.parse(balance ?? 0) });
  edits.push({ address, kind: "nonce", nonce: NUMBER.parse(nonce ?? 0) });
  const bytes = DATA.parse(code ?? "0x");
  if (bytes.length > 0) edits.push({ address, kind: "code", code: bytes });
  for (const [slot, cell] of Object.entries(objectOf(storage ?? {}))) {
    const key = bigintToFixedBytes(NUMBER.parse(slot), 32);
    const value = DATA.parse(cell);
    edits.push({ address, kind: "cell", key, value: isAsStored ? value : stripLeadingZeros(value) });
  }
  return edits;
}
