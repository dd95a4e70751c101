import { allNativeContracts, type ChainReader } from "@cambium/chain";
import { rulesAt } from "@cambium/config";
import { bigintToFixedBytes, bytesToBigint, equalBytes, leftPad } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { echo, invalidParams, type RpcError } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, DATA, objectOf } from "../params/value-types.js";

/** Overrides of one account during a call; absent members are unchanged. */
export interface AccountOverride {
  address: Uint8Array;
  balance: bigint | undefined;
  nonce: bigint | undefined;
  code: Uint8Array | undefined;
  /** Storage cells to set. */
  cells: readonly { slot: bigint; value: bigint }[];
  /** Whether all other cells are cleared. */
  clearsStorage: boolean;
}

/** Maximum numbers of accounts and, over all of them, of storage cells that a call overrides. */
const MAX_ACCOUNTS = 1_000;
const MAX_CELLS = 10_000;

/** Third parameter of `eth_call` (`spec/09 §8.4`). */
export const STATE_OVERRIDES: ParamType<readonly AccountOverride[]> = {
  name: "STATE_OVERRIDES",
  schema: {
    type: "object",
    additionalProperties: { $ref: "#/components/schemas/AccountOverride" },
    maxProperties: MAX_ACCOUNTS,
  },
  parse(value) {
    const accounts = Object.entries(objectOf(value));
    if (accounts.length > MAX_ACCOUNTS) throw tooMany("accounts", accounts.length, MAX_ACCOUNTS);
    let cells = 0;
    for (const [, account] of accounts) cells += cellCount(account);
    if (cells > MAX_CELLS) throw tooMany("storage cells", cells, MAX_CELLS);
    return accounts.map(([address, members]) => parseAccount(address, members));
  },
};

function tooMany(what: string, count: number, limit: number): RpcError {
  return invalidParams(`Too many ${what} to override: ${count}, at most ${limit} are allowed`);
}

/** Cells that an override sets, whether it is valid or not. */
function cellCount(account: unknown): number {
  const { state, stateDiff } = (account ?? {}) as Readonly<Record<string, unknown>>;
  return memberCount(state) + memberCount(stateDiff);
}

function memberCount(value: unknown): number {
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function parseAccount(key: string, value: unknown): AccountOverride {
  const address = ADDRESS.parse(key);
  const { balance, nonce, code, state, stateDiff, movePrecompileToAddress } = objectOf(value ?? {});
  if (isGiven(movePrecompileToAddress)) throw invalidParams("Move precompile to address is not supported yet");
  if (isGiven(state) && isGiven(stateDiff)) {
    throw invalidParams("'state' and 'stateDiff' cannot be set at the same time");
  }
  return {
    address,
    balance: isGiven(balance) ? parseQuantity(balance, 32) : undefined,
    nonce: isGiven(nonce) ? parseQuantity(nonce, 8) : undefined,
    code: isGiven(code) ? DATA.parse(code) : undefined,
    cells: Object.entries(objectOf(state ?? stateDiff ?? {})).map(([slot, cell]) => ({
      slot: parseWord(slot),
      value: parseWord(cell),
    })),
    clearsStorage: isGiven(state),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function parseQuantity(value: unknown, maxBytes: number): bigint {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]+$/.test(value) || value.length > 2 + 2 * maxBytes) {
    throw invalidParams(`Invalid param ${echo(value)}: value must be a valid hex.`);
  }
  return BigInt(value);
}

/** Parses DATA of at most 32 bytes as a big-endian number. */
function parseWord(value: unknown): bigint {
  const bytes = DATA.parse(value);
  if (bytes.length > 32) throw invalidParams("Invalid data format: more than 32 bytes.");
  return bytesToBigint(leftPad(bytes, 32));
}

/** Throws {@link RpcError} `INVALID_PARAMS` if an address is a precompiled or native contract at this block. */
export function refusePrecompiled(
  overrides: readonly AccountOverride[],
  { network }: ChainReader,
  blockNumber: number,
): void {
  if (overrides.length === 0) return;
  const rules = rulesAt(network, blockNumber);
  const active = allNativeContracts(network).filter((contract) => contract.isActive(rules));
  for (const { address } of overrides) {
    if (active.some((contract) => equalBytes(contract.address, address))) {
      throw invalidParams("Precompiled contracts can not be overridden");
    }
  }
}

/** Applies overrides to a throw-away state, in order: if an address occurs in two spellings, the last one wins. */
export function applyOverrides(state: JournaledState, overrides: readonly AccountOverride[]): void {
  for (const { address, balance, nonce, code, cells, clearsStorage } of overrides) {
    state.addBalance(address, balance === undefined ? 0n : balance - state.getBalance(address));
    if (nonce !== undefined) state.setNonce(address, nonce);
    if (code !== undefined) {
      state.markContract(address);
      state.setCode(address, code);
    }
    if (clearsStorage) for (const slot of state.storageCells(address).keys()) clearCell(state, address, slot);
    for (const { slot, value } of cells) state.setStorage(address, slot, value);
  }
}

/** Clears a cell as bytes, since cells can have any length. */
function clearCell(state: JournaledState, address: Uint8Array, slot: bigint): void {
  state.setStorageBytes(address, bigintToFixedBytes(slot, 32), undefined);
}
