import { BRIDGE_METHODS } from "@cambium/bridge";
import { type AbiType, type AbiValue, abiFunction, concatBytes, encodeValues, fromHex } from "@cambium/primitives";
import type { RandomSource } from "./random-source.js";

/** Address of a precompiled or native contract by its number. */
function contractAt(number: number): Uint8Array {
  return fromHex(number.toString(16).padStart(40, "0"));
}

const word = (hex: string): Uint8Array => fromHex(hex.padStart(64, "0"));
const words = (...hex: string[]): Uint8Array => concatBytes(...hex.map(word));

const P = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
const SECP_P = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
const SECP_N = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
/** Coordinates of points on the curves, and numbers that are not. */
const COORDINATES = [
  "0",
  "1",
  "2",
  P,
  SECP_P,
  SECP_N,
  "4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7ee",
];
const G2 = words(
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
  "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
  "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
  "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
);
/** A signature from which the point at infinity is recovered (`spec/04 §11.3`). */
const AT_INFINITY = words(
  "f7cf90057f86838e5efd677f4741003ab90910e4e2736ff4d7999519d162d1ed",
  "1b",
  "3fba4230c7b08aa69affd0b7425b8666eb5e7d36f9ef84efeee5ba612c8df0bc",
  "6b212d83adb8364e5519a051894f4a513b7eb68d087d710bf21e70775d31a97b",
);

function recovery(random: RandomSource): Uint8Array {
  if (random.chance(0.2)) return AT_INFINITY;
  const v = fromHex(random.pick(["1b", "1c", "1a", "00", "ff01"]).padStart(64, random.chance(0.8) ? "0" : "1"));
  const scalar = () => (random.chance(0.6) ? random.bytes(32) : word(random.pick(COORDINATES)));
  return concatBytes(random.bytes(32), v, scalar(), scalar());
}

function power(random: RandomSource): Uint8Array {
  const lengths = [0, 1, 2].map(() => (random.chance(0.7) ? random.pick([0, 1, 31, 32, 33, 64, 70]) : undefined));
  const heads = lengths.map((length) => (length === undefined ? random.word() : word(length.toString(16))));
  const bodies = lengths.map((length) =>
    random.chance(0.2) ? new Uint8Array(length ?? 4) : random.bytes(length ?? 4),
  );
  return concatBytes(...heads, ...bodies);
}

function points(random: RandomSource, count: number): Uint8Array {
  return concatBytes(
    ...Array.from({ length: count }, () => (random.chance(0.7) ? word(random.pick(COORDINATES)) : random.word())),
  );
}

function pairs(random: RandomSource): Uint8Array {
  const pair = () => {
    const g1 = random.chance(0.6) ? words("1", "2") : points(random, 2);
    const g2 = random.chance(0.6) ? G2 : random.chance(0.5) ? new Uint8Array(128) : points(random, 4);
    return concatBytes(g1, g2);
  };
  return concatBytes(...Array.from({ length: random.below(4) }, pair));
}

function compression(random: RandomSource): Uint8Array {
  const rounds = fromHex(
    random
      .below(random.chance(0.95) ? 40 : 0xffffffff)
      .toString(16)
      .padStart(8, "0"),
  );
  return concatBytes(rounds, random.bytes(208), Uint8Array.of(random.pick([0, 1, 1, 2, 255])));
}

/** Methods of native contracts by the contract's number. */
export const NATIVE_METHODS: Readonly<Record<number, readonly (readonly [name: string, ...inputs: string[]])[]>> = {
  16777225: [
    ["toBase58Check", "bytes", "int256"],
    ["deriveExtendedPublicKey", "string", "string"],
    ["extractPublicKeyFromExtendedPublicKey", "string"],
    ["getMultisigScriptHash", "int256", "bytes[]"],
  ],
  16777232: [
    ["getCoinbaseAddress", "int256"],
    ["getBlockHash", "int256"],
    ["getMergedMiningTags", "int256"],
    ["getMinGasPrice", "int256"],
    ["getGasLimit", "int256"],
    ["getGasUsed", "int256"],
    ["getDifficulty", "int256"],
    ["getBitcoinHeader", "int256"],
    ["getUncleCoinbaseAddress", "int256", "int256"],
    ["getDifficultyWithUncles", "int256"],
    ["getCumulativeWork", "int256"],
  ],
  16777233: [["getCallStackDepth"]],
};

const TEXTS = [
  "",
  "0",
  "2/3/4",
  "-0",
  "1/-0",
  "+1",
  "2147483648",
  "/",
  "btc",
  "rsk",
  "mst",
  "mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8",
  "2N3ybkmiYqE8Jh7uaYvjSqTkVEqmnpYfqbx",
  "tpubD6NzVbkrYhZ4YHQqwWz3Tm1ESZ9AidobeyLG4mEezB6hN8gFFWrcjczyF77Lw3HEs6Rjd2R11BEJ8Y9ptfxx9DFknkdujp58mFMx9H5dc1r",
  "xpub661MyMwAqRbcFMGNG2YcHvj3x63bAZN9U5cKikaiQ4zu2D1cvpnZYyXNR9nH62sGp4RR39Ui7SVQSq1PY4JbPuEuu5prVJJC3d5Pogft712",
];
const KEYS = [
  "02be517550b9e3be7fe42c80932d51e88e698663b4926e598b269d050e87e34d8c",
  "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
  "02ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];
/** A parent-chain transaction with one input and one output, and one with a witness. */
const PARENT_TRANSACTIONS = [
  `0100000001${"11".repeat(32)}0000000000ffffffff01e8030000000000001976a914${"22".repeat(20)}88ac00000000`,
  `02000000000101${"11".repeat(32)}0000000000ffffffff01e80300000000000017a914${"22".repeat(20)}870151${"00".repeat(4)}`,
];

function bytesArgument(random: RandomSource): Uint8Array {
  const kind = random.next();
  if (kind < 0.25) return random.disturbed(fromHex(random.pick(KEYS)));
  if (kind < 0.4) return random.disturbed(fromHex(random.pick(PARENT_TRANSACTIONS)));
  return random.bytes(random.pick([0, 1, 20, 21, 31, 32, 33, 64, 65, 79, 80, 81, 100, 300]));
}

function argument(type: AbiType, random: RandomSource): AbiValue {
  const { name } = type;
  if (name.endsWith("[]")) {
    const element = abiFunction("f", [name.slice(0, -2)], []).inputs[0]!;
    return Array.from({ length: random.pick([0, 1, 2, 3, 15, 16, 33]) }, () => argument(element, random));
  }
  if (name === "bytes") return bytesArgument(random);
  if (name === "string") return random.chance(0.8) ? random.pick(TEXTS) : String.fromCharCode(random.below(0xffff));
  if (name === "bool") return random.chance(0.5);
  if (name === "address") return random.bytes(20);
  if (name.startsWith("bytes")) return random.chance(0.5) ? new Uint8Array(32) : random.word();
  return random.number();
}

/** A call of a method with arguments of its types; offsets and lengths are sometimes corrupted. */
function abiCall(random: RandomSource, name: string, inputs: readonly string[]): Uint8Array {
  const method = abiFunction(name, inputs, []);
  const values = method.inputs.map((type) => argument(type, random));
  const encoded = encodeValues(method.inputs, values);
  const at = 32 * random.below(encoded.length / 32);
  if (encoded.length > 0 && random.chance(0.15)) encoded.set(random.word(), at);
  return concatBytes(fromHex(method.selector), encoded);
}

function nativeCall(random: RandomSource, contract: number): Uint8Array {
  const [name, ...inputs] = random.pick(NATIVE_METHODS[contract]!);
  return abiCall(random, name, inputs);
}

function bridgeCall(random: RandomSource): Uint8Array {
  const { signature } = random.pick(BRIDGE_METHODS);
  const open = signature.indexOf("(");
  const inputs = signature.slice(open + 1, -1);
  return abiCall(random, signature.slice(0, open), inputs === "" ? [] : inputs.split(","));
}

const BRIDGE = 0x01000006;
const REWARD = 0x01000008;

const GENERATORS: readonly (readonly [contract: number, generate: (random: RandomSource) => Uint8Array])[] = [
  [1, recovery],
  [2, (random) => random.bytes(random.below(200))],
  [3, (random) => random.bytes(random.below(200))],
  [4, (random) => random.bytes(random.below(200))],
  [5, power],
  [6, (random) => points(random, 4)],
  [7, (random) => points(random, 3)],
  [8, pairs],
  [9, compression],
  [BRIDGE, bridgeCall],
  [BRIDGE, bridgeCall],
  [REWARD, (random) => fromHex(random.pick(["", "be021a58", "0d0cee93", "0d0cee9300"]))],
  ...Object.keys(NATIVE_METHODS).map(
    (contract) => [Number(contract), (random: RandomSource) => nativeCall(random, Number(contract))] as const,
  ),
  [0x01000016, (random) => points(random, 4)],
  [0x01000017, (random) => points(random, 3)],
];

/** A precompiled or native contract and its call data, sometimes with errors. */
export function nativeCallData(random: RandomSource): { to: Uint8Array; data: Uint8Array } {
  const [contract, generate] = random.pick(GENERATORS);
  return {
    to: contractAt(contract),
    data: random.chance(0.03) ? new Uint8Array(0) : random.disturbed(generate(random)),
  };
}
