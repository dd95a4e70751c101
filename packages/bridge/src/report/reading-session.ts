import { BRIDGE_ADDRESS, type NetworkConfig, rulesAt } from "@cambium/config";
import { EMPTY_BYTES } from "@cambium/primitives";
import type { AncestorReader, NativeCallContext, WorldState } from "@cambium/state";
import { BridgeSession } from "../session.js";

const NO_ANCESTORS: AncestorReader = {
  hash: () => undefined,
  header: () => undefined,
  uncles: () => undefined,
  totalDifficulty: () => undefined,
};

const ZERO_HASH = new Uint8Array(32);

/**
 * Creates a session that reads like a local call at block `number`. `state` is the state after that block. Discard it
 * afterwards, because opening the parent-chain store may write to it (`spec/06b-1 §3.2`).
 */
export function readingSession(network: NetworkConfig, number: number, state: WorldState): BridgeSession {
  const context: NativeCallContext = {
    network,
    rules: rulesAt(network, number),
    block: {
      number,
      timestamp: 0n,
      parentHash: ZERO_HASH,
      coinbase: BRIDGE_ADDRESS,
      difficulty: 0n,
      gasLimit: 0n,
      minimumGasPrice: 0n,
      ancestors: NO_ANCESTORS,
    },
    state,
    transaction: {
      hash: ZERO_HASH,
      sender: EMPTY_BYTES,
      isReward: false,
      isLocalCall: true,
      hasAcceptableSignature: true,
      gasPrice: 0n,
    },
    kind: "transaction",
    caller: EMPTY_BYTES,
    value: 0n,
    depth: -1,
    transactionHash: () => ZERO_HASH,
    log: () => undefined,
    payment: () => undefined,
  };
  return new BridgeSession(context);
}
