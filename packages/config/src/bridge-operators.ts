import { publicKeyToAddress, secp256k1, toHex } from "@cambium/primitives";
import type { NetworkConfig } from "./network.js";

const known = new WeakMap<NetworkConfig, ReadonlySet<string>>();

/**
 * Addresses of the members of the genesis federation and of the authorizers, as lower-case hex: their transactions to
 * the bridge are free until `areBridgeTxsPaid` (`spec/04 §2.3`, `spec/06a §1.5`).
 */
export function bridgeOperators(network: NetworkConfig): ReadonlySet<string> {
  let operators = known.get(network);
  if (operators === undefined) {
    const { genesisFederation, authorizers } = network.bridge;
    const members = genesisFederation.publicKeys.map((key) => publicKeyToAddress(secp256k1.decompress(key)!));
    const others = [...authorizers.federationChange, ...authorizers.whitelist, ...authorizers.feePerKb];
    operators = new Set([...members, ...others].map(toHex));
    known.set(network, operators);
  }
  return operators;
}
