import { keccak256, publicKeyToAddress, secp256k1, utf8 } from "@cambium/primitives";
import { MinerError } from "../errors.js";

/** Recipient of the fees: an address, or the secret from which its key is derived. */
export interface RewardAddressOptions {
  address?: Uint8Array;
  secret?: string;
}

/** Default secret of local networks. */
export const LOCAL_MINER_SECRET = "regtest_miner_secret_please_change";

/** Address of the private key that is the Keccak-256 of a secret. */
export function addressOfSecret(secret: string): Uint8Array {
  return publicKeyToAddress(secp256k1.publicKey(keccak256(utf8(secret))));
}

/**
 * Coinbase of locally produced blocks (`spec/03 §6.5`). On local networks an address takes precedence over a secret,
 * which has a default; elsewhere exactly one of the two is required. Throws {@link MinerError} `OPTION`.
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
