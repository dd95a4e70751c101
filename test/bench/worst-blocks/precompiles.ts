import { precompiles } from "@cambium/evm";
import { bytesToBigint, concatBytes, fromHex, signHash } from "@cambium/primitives";
import { caller } from "./calls.js";
import type { Row } from "./opcodes.js";
import type { Program } from "./program.js";

const word = (value: bigint | number | string): Uint8Array => {
  const hex = typeof value === "string" ? value : value.toString(16);
  return fromHex(hex.padStart(64, "0"));
};
const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

const HASH = word(0xdeadbeefn);
const SIGNATURE = signHash(HASH, word(0xc0ffeen));
const RECOVERY = concatBytes(HASH, word(27 + SIGNATURE.recovery), word(SIGNATURE.r), word(SIGNATURE.s));

const G1 = concatBytes(word(1), word(2));
const G2 = concatBytes(
  word("198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"),
  word("1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"),
  word("090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"),
  word("12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"),
);
const PAIR = concatBytes(G1, G2);
const SECP_POINT = concatBytes(word(1), word("4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7ee"));
const SCALAR = bytes(32, 0xab);
const INVALID = bytes(128, 0xff);

const HASHED = [0, 32, 1_000, 200_000];
const MODULI = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64, 256];
const EXPONENTS = [1, 32, 100, 480, 2_048, 16_384, 262_144];

/** The largest numbers of their lengths, with odd and even moduli. */
function powers(): Uint8Array[] {
  return MODULI.flatMap((modulus) =>
    EXPONENTS.filter((exponent) => modulus * modulus * exponent < 500_000).flatMap((exponent) =>
      [0xfb, 0xfe].map((last) => {
        const heads = concatBytes(word(modulus), word(exponent), word(modulus));
        const numbers = concatBytes(bytes(modulus, 0xfa), bytes(exponent, 0xff), bytes(modulus - 1, 0xff));
        return concatBytes(heads, numbers, Uint8Array.of(last));
      }),
    ),
  );
}

function pairs(count: number): Uint8Array {
  return concatBytes(...Array.from({ length: count }, () => PAIR));
}

function rounds(count: number): Uint8Array {
  return concatBytes(word(count).slice(28), bytes(208, 0xa5), Uint8Array.of(1));
}

/** Inputs by the name of the contract. */
const INPUTS: Readonly<Record<string, () => Uint8Array[]>> = {
  ECRECOVER: () => [RECOVERY, bytes(128, 27)],
  SHA256: () => HASHED.map((length) => bytes(length, 0x5a)),
  RIPEMD160: () => HASHED.map((length) => bytes(length, 0x5a)),
  IDENTITY: () => HASHED.map((length) => bytes(length, 0x5a)),
  MODEXP: powers,
  BN128_ADD: () => [concatBytes(G1, G1), concatBytes(G1, bytes(64, 0)), INVALID],
  BN128_MUL: () => [concatBytes(G1, SCALAR), concatBytes(G1, bytes(32, 0xff)), INVALID],
  BN128_PAIRING: () => [pairs(0), pairs(1), pairs(2), pairs(20), concatBytes(bytes(64, 0), G2), INVALID.slice(0, 100)],
  BLAKE2F: () => [rounds(0), rounds(12), rounds(3_000_000), bytes(100, 1)],
  SECP256K1_ADD: () => [concatBytes(SECP_POINT, SECP_POINT), concatBytes(SECP_POINT, bytes(64, 0)), INVALID],
  SECP256K1_MUL: () => [concatBytes(SECP_POINT, SCALAR), INVALID],
};

/** A row for each precompiled contract. */
export function precompileRows(): Row[] {
  return precompiles.map(({ name, address }) => {
    const inputs = INPUTS[name];
    if (inputs === undefined) throw new Error(`there is no input for ${name}`);
    const to = Number(bytesToBigint(address));
    const programs: Program[] = inputs().map((data) => caller(to, data));
    return { name, programs: [...programs, caller(to, new Uint8Array(0), { size: 1_060_000 })] };
  });
}
