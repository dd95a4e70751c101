import type { Decoded, DecodedValue } from "./decode.js";
import { BRIDGE, REWARD } from "./native.js";

/** Kinds of amounts in calls and events. */
export type Unit =
  /** The smallest parts of a token. */
  | { kind: "token"; contract: string }
  | { kind: "wei" }
  | { kind: "satoshi" }
  /** A code with these words. */
  | { kind: "code"; words: Readonly<Record<string, string>> };

/** Position of a call or event. */
export interface Place {
  contract: string;
  /** Undefined if it is not mined. */
  block?: number | undefined;
  chainId?: number | undefined;
}

/** First blocks in which the bridge logs the amounts of requests in wei (RSKIP-427); 0 on other networks. */
const WEI_SINCE: Readonly<Record<number, number>> = { 30: 7_338_024, 31: 6_110_487 };

const REJECTED_PEG_IN = {
  1: "the locking cap is surpassed",
  2: "the sender is a multisig script",
  3: "the sender cannot be determined",
  4: "the instructions are invalid",
  5: "the amount is too small",
};
const UNREFUNDABLE_PEG_IN = {
  1: "the sender cannot be determined",
  2: "no refund address is set",
  3: "the amount is too small",
  4: "the outputs pay different kinds of federations",
};
const REJECTED_PEG_OUT = {
  1: "the amount is too small",
  2: "the caller is a contract",
  3: "the fee is higher than the amount",
};

type BridgeUnit = Exclude<Unit, { kind: "token" }> | "by block";

const [wei, satoshi] = [{ kind: "wei" }, { kind: "satoshi" }] as const;
const code = (words: Readonly<Record<string, string>>) => ({ kind: "code", words }) as const;

/** Units of the bridge's events and methods (`spec/06b-3 §3.1`, `§4`, `§10`). */
const OF_BRIDGE: Readonly<Record<string, Readonly<Record<string, BridgeUnit>>>> = {
  lock_btc: { amount: satoshi },
  pegin_btc: { amount: satoshi },
  rejected_pegin: { reason: code(REJECTED_PEG_IN) },
  unrefundable_pegin: { reason: code(UNREFUNDABLE_PEG_IN) },
  release_requested: { amount: satoshi },
  release_request_received: { amount: "by block" },
  release_request_rejected: { amount: "by block", reason: code(REJECTED_PEG_OUT) },
  union_bridge_locking_cap_increased: { previous: wei, cap: wei },
  union_rbtc_requested: { amount: wei },
  union_rbtc_released: { amount: wei },
  increaseLockingCap: { cap: satoshi },
  voteFeePerKbChange: { feePerKb: satoshi },
  addLockWhitelistAddress: { maximum: satoshi },
  addOneOffLockWhitelistAddress: { maximum: satoshi },
  increaseUnionBridgeLockingCap: { cap: wei },
  requestUnionBridgeRbtc: { amount: wei },
};

/** Calls and events whose only number is an amount of the token. */
const OF_TOKENS: ReadonlySet<string> = new Set([
  "transfer",
  "transferFrom",
  "approve",
  "increaseAllowance",
  "decreaseAllowance",
  "mint",
  "burn",
  "burnFrom",
  "deposit",
  "withdraw",
  "Transfer",
  "Approval",
  "Deposit",
  "Withdrawal",
]);

/** Returns the unit of an amount; undefined for other values. */
export function unitOf({ name, values }: Decoded, value: DecodedValue, place: Place): Unit | undefined {
  if (!/^u?int\d*$/.test(value.type)) return undefined;
  const contract = place.contract.toLowerCase();
  if (contract === REWARD) return value.name === "amount" ? wei : undefined;
  if (contract === BRIDGE) {
    const unit = OF_BRIDGE[name]?.[value.name];
    return unit === "by block" ? requestUnit(place) : unit;
  }
  const isOnly = values.filter(({ type }) => /^u?int\d*$/.test(type)).length === 1;
  const isId = /id$/i.test(value.name);
  return OF_TOKENS.has(name) && isOnly && !isId ? { kind: "token", contract: place.contract } : undefined;
}

function requestUnit({ block, chainId = 0 }: Place): Unit {
  return block === undefined || block >= (WEI_SINCE[chainId] ?? 0) ? wei : satoshi;
}
