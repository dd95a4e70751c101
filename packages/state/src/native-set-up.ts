import {
  BLOCK_HEADER_ADDRESS,
  BRIDGE_ADDRESS,
  ENVIRONMENT_ADDRESS,
  HD_WALLET_UTILS_ADDRESS,
  isActivating,
  type NetworkConfig,
  REWARD_ADDRESS,
  type RuleName,
  rulesAt,
} from "@cambium/config";
import { fromHex } from "@cambium/primitives";
import type { WorldState } from "./interface.js";

/** The address whose value is a small number. */
function numbered(number: number): Uint8Array {
  const address = new Uint8Array(20);
  address[19] = number;
  return address;
}

/** Contracts created with RSKIP-126; an existing account keeps its nonce and balance. */
const ORIGINAL: readonly Uint8Array[] = [1, 2, 3, 4, 5].map(numbered).concat(BRIDGE_ADDRESS, REWARD_ADDRESS);

/** Contracts created with a separate rule; an existing account is overwritten. */
const LATER: readonly (readonly [rule: RuleName, address: Uint8Array])[] = [
  ["rskip106", HD_WALLET_UTILS_ADDRESS],
  ["rskip119", BLOCK_HEADER_ADDRESS],
  ["rskip137", numbered(6)],
  ["rskip137", numbered(7)],
  ["rskip137", numbered(8)],
  ["rskip153", numbered(9)],
  ["rskip203", ENVIRONMENT_ADDRESS],
  ["rskip516", fromHex("0000000000000000000000000000000001000016")],
  ["rskip516", fromHex("0000000000000000000000000000000001000017")],
];

/** Returns the native contracts whose accounts exist, with storage marker, after a block with this number. */
export function markedNativeContracts(network: NetworkConfig, blockNumber: number): Uint8Array[] {
  const rules = rulesAt(network, blockNumber);
  const later = LATER.filter(([rule]) => rules[rule]).map(([, address]) => address);
  return rules.rskip126 ? [...ORIGINAL, ...later] : later;
}

/**
 * Creates the accounts and storage markers of native contracts that activate at exactly this height (`spec/02 §6.2`,
 * `spec/01 §6.3`). Runs at the start of every block, before its transactions. Genesis has a separate condition, see
 * `buildGenesisState`.
 */
export function setUpNativeContracts(state: WorldState, network: NetworkConfig, blockNumber: number): void {
  if (isActivating(network, "rskip126", blockNumber)) {
    for (const address of ORIGINAL) {
      if (!state.exists(address)) state.createAccount(address);
      state.markContract(address);
    }
  }
  for (const [rule, address] of LATER) {
    if (!isActivating(network, rule, blockNumber)) continue;
    state.createAccount(address);
    state.markContract(address);
  }
}
