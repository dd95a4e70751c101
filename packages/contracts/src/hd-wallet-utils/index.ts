import { HD_WALLET_UTILS_ADDRESS } from "@cambium/config";
import {
  type AbiArray,
  type AbiText,
  abiFunction,
  compressPublicKey,
  concatBytes,
  encodeBase58Check,
} from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { NativeContractError } from "../errors.js";
import { createNativeContract, type NativeMethod } from "../native-frame.js";
import { parseDerivationPath } from "./derivation-path.js";
import {
  deriveChild,
  type ExtendedPublicKey,
  formatExtendedPublicKey,
  parseExtendedPublicKey,
} from "./extended-public-key.js";
import { multisigScriptHash } from "./multisig-script.js";

function invalid(method: string, argument: string, reason: string): NativeContractError {
  return new NativeContractError({ code: "INVALID_ARGUMENT", method, argument, reason });
}

const toBase58Check: NativeMethod = {
  definition: abiFunction("toBase58Check", ["bytes", "int256"], ["string"]),
  gas: () => 13_000,
  execute([hash, version]) {
    if ((hash as Uint8Array).length !== 20) throw invalid("toBase58Check", "hash", "not 20 bytes");
    if ((version as bigint) < 0n || (version as bigint) > 255n) {
      throw invalid("toBase58Check", "version", "not 0 to 255");
    }
    return encodeBase58Check(concatBytes(Uint8Array.of(Number(version)), hash as Uint8Array));
  },
};

function requireExtendedKey(method: string, text: AbiText): ExtendedPublicKey {
  const key = parseExtendedPublicKey(text);
  if (key === undefined) throw invalid(method, "xpub", "not an extended public key");
  return key;
}

const deriveExtendedPublicKey: NativeMethod = {
  definition: abiFunction("deriveExtendedPublicKey", ["string", "string"], ["string"]),
  gas: () => 107_000,
  execute([xpub, path]) {
    let key = requireExtendedKey("deriveExtendedPublicKey", xpub as AbiText);
    const levels = parseDerivationPath((path as AbiText).bytes);
    if (levels === undefined) throw invalid("deriveExtendedPublicKey", "path", "not a derivation path");
    for (const level of levels) {
      const child = deriveChild(key, level);
      if (child === undefined) throw invalid("deriveExtendedPublicKey", "path", `no child ${level}`);
      key = child;
    }
    return formatExtendedPublicKey(key);
  },
};

const extractPublicKeyFromExtendedPublicKey: NativeMethod = {
  definition: abiFunction("extractPublicKeyFromExtendedPublicKey", ["string"], ["bytes"]),
  gas: () => 11_300,
  execute: ([xpub]) => requireExtendedKey("extractPublicKeyFromExtendedPublicKey", xpub as AbiText).publicKey,
};

const MIN_KEYS = 2;
/** Maximum number of keys: with more, the redeem script would exceed the parent chain's limit of 520 bytes. */
const MAX_KEYS = 15;

const getMultisigScriptHash: NativeMethod = {
  definition: abiFunction("getMultisigScriptHash", ["int256", "bytes[]"], ["bytes"]),
  gas: ([, keys]) => 20_000 + 700 * Math.max(0, (keys as AbiArray).length - MIN_KEYS),
  execute([minimum, keyList]) {
    const keys = keyList as AbiArray;
    if (keys.length < MIN_KEYS || keys.length > MAX_KEYS) {
      throw invalid("getMultisigScriptHash", "keys", "not 2 to 15 keys");
    }
    if ((minimum as bigint) <= 0n || (minimum as bigint) > BigInt(keys.length)) {
      throw invalid("getMultisigScriptHash", "min", "not 1 to the number of keys");
    }
    const compressed = Array.from(keys, (key) => {
      const point = compressPublicKey(key as Uint8Array);
      if (point === undefined) throw invalid("getMultisigScriptHash", "keys", "not a public key");
      return point;
    });
    return multisigScriptHash(Number(minimum), compressed);
  },
};

/** Helpers for parent-chain wallets: `spec/04 §6.8` (RSKIP-106). */
export const hdWalletUtils: NativeContract = createNativeContract({
  address: HD_WALLET_UTILS_ADDRESS,
  name: "HDWalletUtils",
  isActive: (rules) => rules.rskip106,
  methods: [toBase58Check, deriveExtendedPublicKey, extractPublicKeyFromExtendedPublicKey, getMultisigScriptHash],
});
