import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
import { concatBytes, equalBytes, fromHex, keccak256, toHex } from "@cambium/primitives";
import { AccountsError } from "./errors.js";
import { costProblem, deriveKey, type KeyDerivation, type ScryptCost } from "./key-derivation.js";
import { addressOfPrivateKey, checkedPrivateKey } from "./private-key.js";

/** An encrypted private key as read from a file of the Web3 Secret Storage format, version 3. */
export interface EncryptedKey {
  address: Uint8Array;
  derivation: KeyDerivation;
  iv: Uint8Array;
  ciphertext: Uint8Array;
  mac: Uint8Array;
}

const CIPHER = "aes-128-ctr";

/** Encrypts a private key. */
export async function encryptKey(key: Uint8Array, passphrase: string, cost: ScryptCost): Promise<EncryptedKey> {
  const derivation: KeyDerivation = { kdf: "scrypt", ...cost, salt: randomBytes(32), length: 32 };
  const derived = await deriveKey(passphrase, derivation);
  const iv = randomBytes(16);
  const cipher = createCipheriv(CIPHER, derived.subarray(0, 16), iv);
  const ciphertext = concatBytes(cipher.update(key), cipher.final());
  return { address: addressOfPrivateKey(key), derivation, iv, ciphertext, mac: macOf(derived, ciphertext) };
}

/**
 * The private key, or undefined if the passphrase is wrong. Rejects with `INVALID_KEY_FILE` if it does not match the
 * address.
 */
export async function decryptKey(file: EncryptedKey, passphrase: string): Promise<Uint8Array | undefined> {
  const derived = await deriveKey(passphrase, file.derivation);
  if (!equalBytes(macOf(derived, file.ciphertext), file.mac)) return undefined;
  const cipher = createDecipheriv(CIPHER, derived.subarray(0, 16), file.iv);
  const key = checkedPrivateKey(concatBytes(cipher.update(file.ciphertext), cipher.final()));
  if (!equalBytes(addressOfPrivateKey(key), file.address)) throw invalid("the key does not match the address");
  return key;
}

/** The second half of the derived key authenticates the ciphertext, which the first half encrypts. */
function macOf(derived: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return keccak256(concatBytes(derived.subarray(16, 32), ciphertext));
}

/** Encodes a key file as JSON text. */
export function writeKeyFile({ address, derivation, iv, ciphertext, mac }: EncryptedKey): string {
  const crypto = {
    cipher: CIPHER,
    cipherparams: { iv: toHex(iv) },
    ciphertext: toHex(ciphertext),
    ...writeDerivation(derivation),
    mac: toHex(mac),
  };
  return `${JSON.stringify({ version: 3, id: randomUUID(), address: toHex(address), crypto }, undefined, 2)}\n`;
}

function writeDerivation(derivation: KeyDerivation): object {
  const common = { dklen: derivation.length, salt: toHex(derivation.salt) };
  if (derivation.kdf === "pbkdf2") {
    return { kdf: "pbkdf2", kdfparams: { ...common, c: derivation.iterations, prf: "hmac-sha256" } };
  }
  const { n, r, p } = derivation;
  return { kdf: "scrypt", kdfparams: { ...common, n, r, p } };
}

type Members = Readonly<Record<string, unknown>>;

/** Decodes the JSON text of a key file. Throws {@link AccountsError} `INVALID_KEY_FILE` only. */
export function readKeyFile(text: string): EncryptedKey {
  const file = lowerCased(members(parse(text), "file"));
  if (file.version !== 3) throw invalid("version");
  const crypto = members(file.crypto, "crypto");
  if (crypto.cipher !== CIPHER) throw invalid("cipher");
  const derivation = readDerivation(crypto);
  const problem = costProblem(derivation);
  if (problem !== undefined) throw invalid(problem);
  return {
    address: bytes(file.address, "address", 20),
    derivation,
    iv: bytes(members(crypto.cipherparams, "cipherparams").iv, "iv", 16),
    ciphertext: bytes(crypto.ciphertext, "ciphertext", 32),
    mac: bytes(crypto.mac, "mac", 32),
  };
}

function readDerivation(crypto: Members): KeyDerivation {
  const params = members(crypto.kdfparams, "kdfparams");
  const common = { salt: bytes(params.salt, "salt"), length: Number(params.dklen) };
  if (crypto.kdf === "pbkdf2" && params.prf === "hmac-sha256") {
    return { kdf: "pbkdf2", iterations: Number(params.c), ...common };
  }
  if (crypto.kdf !== "scrypt") throw invalid("kdf");
  return { kdf: "scrypt", n: Number(params.n), r: Number(params.r), p: Number(params.p), ...common };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("not JSON");
  }
}

function members(value: unknown, name: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(name);
  return value as Members;
}

/** Member names in lower case: some old wallets write `Crypto`. */
function lowerCased(file: Members): Members {
  return Object.fromEntries(Object.entries(file).map(([name, value]) => [name.toLowerCase(), value]));
}

function bytes(value: unknown, name: string, length?: number): Uint8Array {
  if (typeof value !== "string" || !/^(0x)?([0-9a-fA-F]{2})*$/.test(value)) throw invalid(name);
  const read = fromHex(value);
  if (length !== undefined && read.length !== length) throw invalid(name);
  return read;
}

function invalid(reason: string): AccountsError {
  return new AccountsError({ code: "INVALID_KEY_FILE", reason });
}
