import { bigintToFixedBytes, equalBytes, leftPad, toData, toQuantity } from "@cambium/primitives";
import type { AccountContent, CellChange, TouchedAccount } from "./observed-state.js";

/** Options of `prestateTracer`, as in go-ethereum. */
export interface PrestateOptions {
  diffMode: boolean;
  disableCode: boolean;
  disableStorage: boolean;
  includeEmpty: boolean;
}

/** An account of `prestateTracer`; members that do not apply are absent. */
export interface PrestateAccount {
  balance?: string;
  /** A JSON number. */
  nonce?: number;
  code?: string;
  /** Values by slot, 32 bytes each; cells of native contracts can be longer. */
  storage?: Record<string, string>;
}

/** Accounts by address. */
export type Prestate = Record<string, PrestateAccount>;

/** Changes of a transaction: the changed accounts before it, and their changed members after it. */
export interface PrestateDiff {
  pre: Prestate;
  post: Prestate;
}

/** The accounts that a transaction touched as they were before it. */
export function prestate(touched: readonly TouchedAccount[], options: PrestateOptions): Prestate {
  const pre: Prestate = {};
  for (const { address, before, cells } of addressed(touched)) {
    if (!options.includeEmpty && isEmpty(before, cells)) continue;
    pre[toData(address)] = {
      ...accountBefore(before, options),
      ...storageMember(cells, options, ({ before: value }) => value ?? ZERO),
    };
  }
  return pre;
}

/** Returns only the changes of a transaction. A destroyed account is in `pre` only, a new one in `post` only. */
export function prestateDiff(touched: readonly TouchedAccount[], options: PrestateOptions): PrestateDiff {
  const diff: PrestateDiff = { pre: {}, post: {} };
  for (const { address, before, after, cells } of addressed(touched)) {
    const changed = new Map([...cells].filter(([, cell]) => !isSameCell(cell)));
    if (isSame(before, after) && (changed.size === 0 || options.disableStorage)) continue;
    const key = toData(address);
    if (options.includeEmpty || !isEmpty(before, cells)) {
      diff.pre[key] = {
        ...accountBefore(before, options),
        ...storageMember(changed, options, ({ before: value }) => value),
      };
    }
    if (before.exists && !after.exists) continue;
    diff.post[key] = {
      ...changedMembers(before, after, options),
      ...storageMember(changed, options, ({ after: value }) => value),
    };
  }
  return diff;
}

/** Accounts with addresses: the sender of reward transactions has none (`spec/05 §2.4`). */
export function addressed(touched: readonly TouchedAccount[]): TouchedAccount[] {
  return touched.filter(({ address }) => address.length === 20);
}

export function isSameCell({ before, after }: CellChange): boolean {
  if (before === undefined || after === undefined) return before === after;
  return equalBytes(before, after);
}

export function isSame(before: AccountContent, after: AccountContent): boolean {
  const { exists, nonce, balance, code } = before;
  const isSameRecord = exists === after.exists && nonce === after.nonce && balance === after.balance;
  return isSameRecord && equalBytes(code, after.code);
}

/** A slot, or a cell's value: at least 32 bytes. */
export function cellData(value: Uint8Array | bigint): string {
  const bytes = typeof value === "bigint" ? bigintToFixedBytes(value, 32) : value;
  return toData(bytes.length < 32 ? leftPad(bytes, 32) : bytes);
}

const ZERO = new Uint8Array(32);

function isEmpty({ nonce, balance, code }: AccountContent, cells: ReadonlyMap<bigint, CellChange>): boolean {
  if (nonce > 0n || balance !== 0n || code.length > 0) return false;
  return [...cells.values()].every(({ before }) => before === undefined);
}

function accountBefore({ nonce, balance, code }: AccountContent, { disableCode }: PrestateOptions): PrestateAccount {
  return {
    balance: toQuantity(balance),
    ...(nonce > 0n ? { nonce: Number(nonce) } : {}),
    ...(code.length > 0 && !disableCode ? { code: toData(code) } : {}),
  };
}

function changedMembers(
  before: AccountContent,
  { nonce, balance, code }: AccountContent,
  { disableCode }: PrestateOptions,
): PrestateAccount {
  return {
    ...(balance === before.balance ? {} : { balance: toQuantity(balance) }),
    ...(nonce === before.nonce ? {} : { nonce: Number(nonce) }),
    ...(disableCode || equalBytes(code, before.code) ? {} : { code: toData(code) }),
  };
}

function storageMember(
  cells: ReadonlyMap<bigint, CellChange>,
  { disableStorage }: PrestateOptions,
  shownValue: (cell: CellChange) => Uint8Array | undefined,
): Pick<PrestateAccount, "storage"> {
  if (disableStorage) return {};
  const shown = [...cells].flatMap(([slot, cell]) => {
    const value = shownValue(cell);
    return value === undefined ? [] : [[cellData(slot), cellData(value)] as const];
  });
  return shown.length === 0 ? {} : { storage: Object.fromEntries(shown) };
}
