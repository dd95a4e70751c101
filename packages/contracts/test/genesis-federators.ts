import type { NetworkConfig } from "@cambium/config";
import { compareBytes, publicKeyToAddress, secp256k1 } from "@cambium/primitives";
import type { FederatorSource } from "../src/reward/federator-source.js";

/** The genesis federation's members at every height. */
export function genesisFederators(network: NetworkConfig): FederatorSource {
  const keys = [...network.bridge.genesisFederation.publicKeys].sort(compareBytes);
  const addresses = keys.map((key) => publicKeyToAddress(secp256k1.decompress(key)!));
  return { at: () => addresses };
}
