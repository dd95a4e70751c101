import { keccak256, publicKeyToAddress, secp256k1, utf8 } from "@cambium/primitives";
import { MinerError } from "./errors.js";

/** Who gets the fees: an address, or the text that a key is made of. */
export interface RewardAddressOptions {
  address?: Uint8Array;
  secret?: string;
}

/** What local networks use when nothing is configured. */
export const LOCAL_MINER_SECRET = "regtest_miner_secret_please_change";

/** Address of the key that is the hash of a text. */
export function addressOfSecret(secret: string): Uint8Array {
  return publicKeyToAddress(secp256k1.publicKey(keccak256(utf8(secret))));
}

/**
 * Coinbase of the blocks built here (`spec/03 §6.5`). On local networks an address wins over a secret, and there is a
 * secret by default; elsewhere exactly one of the two must be given. Throws {@link MinerError} `OPTION`.
 */
export function rewardAddress({ address, secret }: RewardAddressOptions, isLocal: boolean): Uint8Array {
  if (address !== undefined && address.length !== 20) throw wrong(`${address.length} bytes, expected 20`);
  if (isLocal) return address ?? addressOfSecret(secret ?? LOCAL_MINER_SECRET);
  if (address !== undefined && secret !== undefined) throw wrong("expected an address or a secret, not both");
  if (address !== undefined) return address;
  if (secret === undefined) throw wrong("expected an address or a secret");
  return addressOfSecret(secret);
}

function wrong(reason: string): MinerError {
  return new MinerError({ code: "OPTION", option: "reward address", reason });
}
