import { concatBytes } from "@cambium/primitives";
import { OP } from "./script.js";

/** A federation's script made unique by a 32-byte prefix: `spec/06b-2 §1.2`. */
export function flyoverRedeem(prefix: Uint8Array, redeem: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(prefix.length), prefix, Uint8Array.of(OP.drop), redeem);
}
