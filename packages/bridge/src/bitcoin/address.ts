import { concatBytes, encodeBase58Check } from "@cambium/primitives";
import type { BridgeSession } from "../session.js";
import { PARENT_CHAINS } from "./parent-chains.js";
import { publicKeyHashOutput, scriptHashOutput } from "./script.js";

/** Recipient of a parent-chain output: the hash of a public key or of a script. */
export interface ParentAddress {
  readonly kind: "key" | "script";
  readonly hash: Uint8Array;
}

export function outputScriptOf({ kind, hash }: ParentAddress): Uint8Array {
  return kind === "key" ? publicKeyHashOutput(hash) : scriptHashOutput(hash);
}

/** Version byte and hash, the form that is base58-encoded. */
export function addressBytes({ network }: BridgeSession, { kind, hash }: ParentAddress): Uint8Array {
  const { publicKeyHashVersion, scriptHashVersion } = PARENT_CHAINS[network.parentChain];
  return concatBytes(Uint8Array.of(kind === "key" ? publicKeyHashVersion : scriptHashVersion), hash);
}

export function addressText(session: BridgeSession, address: ParentAddress): string {
  return encodeBase58Check(addressBytes(session, address));
}
