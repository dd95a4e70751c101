import { bigintToFixedBytes, concatBytes, fromHex, keccak256, toData, utf8 } from "@cambium/primitives";
import { callData, USER } from "../peg-story.js";
import { account, begin, contract, type Trap } from "./trap.js";

// Rules of the virtual machine that no other vector executes.

const MODEXP = fromHex("05".padStart(40, "0"));
const IDENTITY = fromHex("04".padStart(40, "0"));

/** Base 3 to a long exponent, modulo a short number. */
function power(exponent: Uint8Array, modulus: bigint): Uint8Array {
  const size = 4;
  const lengths = [1n, BigInt(exponent.length), BigInt(size)].map((length) => bigintToFixedBytes(length, 32));
  return concatBytes(...lengths, Uint8Array.of(3), exponent, bigintToFixedBytes(modulus, size));
}

function longExponents(): Trap {
  const text = {
    height: 8_900_000,
    rule: "Powers with exponents of many bytes and moduli of few, whatever the modulus is divisible by",
    spec: "spec/04 §6.3",
  };
  const story = begin(text);
  const random = concatBytes(...Array.from({ length: 12 }, (_, i) => keccak256(utf8(`exponent ${i}`))));
  const zeros = new Uint8Array(300);
  const exponents = [random, random.subarray(1), random.subarray(2), concatBytes(random.subarray(0, 20), zeros)];
  for (const modulus of [2n, 7n, 9n, 32n, 64n, 1024n, 2_310n, 65_537n, 9_699_690n, 2n ** 24n, 3n ** 15n]) {
    for (const exponent of exponents) story.send(USER, { to: MODEXP, data: power(exponent, modulus) });
  }
  story.mine();
  return { text, story };
}

function earlyOutOfGas(): Trap {
  const text = {
    height: 3_000,
    rule: "Before RSKIP-136 a native contract may use more gas than the transaction has left beyond its own cost",
    spec: "spec/04 §2.5",
  };
  const story = begin(text);
  const data = new Uint8Array(320).fill(1);
  const intrinsic = 21_000n + 68n * 320n;
  for (const gas of [0n, 5n, 44n, 45n, 46n, 100n]) story.send(USER, { to: IDENTITY, data, gasLimit: intrinsic + gas });
  story.mine();
  return { text, story };
}

const EXPONENTS = ["0", "1", "255", "256", "257", `0x1${"00".repeat(25)}`];

function powersOfTwo(): Trap {
  const text = {
    height: 8_900_000,
    rule: "Powers of 2 and of an even number vanish from the exponent 256 on; the exponent's bytes cost gas",
    spec: "spec/04 §3",
  };
  const bases = ["2", "6", "3"];
  const parts = bases.flatMap((base, i) =>
    EXPONENTS.map((exponent, k) => `${exponent} ${base} EXP ${32 * (6 * i + k)} MSTORE`),
  );
  const [all, one] = [account(0xe1), account(0xe2)];
  const pre = {
    [toData(all)]: contract(`${parts.join(" ")} ${32 * parts.length} 0 RETURN`),
    [toData(one)]: contract("65535 2 EXP STOP"),
  };
  const story = begin(text, { pre });
  story.send(USER, { to: all });
  for (const gas of [115n, 116n, 16n, 15n]) story.send(USER, { to: one, gasLimit: 21_000n + gas });
  story.mine();
  return { text, story };
}

function fullStack(): Trap {
  const text = {
    height: 3_000,
    rule: "DUPN fails on a full stack, and SWAPN below its depth",
    spec: "spec/04 §3",
  };
  const zeros = (count: number) => "0 ".repeat(count);
  const codes = [
    `${zeros(1023)} 3 DUPN STOP`,
    `${zeros(1022)} 3 DUPN STOP`,
    `${zeros(1024)} DUPN STOP`,
    `${zeros(1024)} SWAPN STOP`,
    `${zeros(5)} 5 DUPN STOP`,
    `${zeros(5)} 4 DUPN STOP`,
    `${zeros(5)} 4 SWAPN STOP`,
    `${zeros(5)} 3 SWAPN STOP`,
  ];
  const pre = Object.fromEntries(codes.map((code, i) => [toData(account(0xd1 + i)), contract(code)]));
  const story = begin(text, { pre });
  for (const i of codes.keys()) story.send(USER, { to: account(0xd1 + i), gasLimit: 60_000n });
  story.mine();
  return { text, story };
}

const WALLET_UTILS = fromHex("1000009".padStart(40, "0"));
const KEY =
  "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";

/** Texts of paths, in hexadecimal if they are not ASCII. */
const PATHS: readonly (string | Uint8Array)[] = [
  ..."0 00 0000000000000 2147483647 2147483648 1/2/3 0/1/2/3/4/5/6/7/8/9 0/1/2/3/4/5/6/7/8/9/0 -0 +0 -1 0/-0 0/+1".split(
    " ",
  ),
  ...["", "/", "0/", "/0", "a", "0x1", "1 ", "0//1", "1/-", "1/+", "0'"],
  // Digits of other scripts, of two and three bytes, then one of four, and bytes that are no text.
  ...["d9a3", "30d9a3", "30d9a330", "30e0a5a730", "30efbc9130", "30f09d9f9830", "30d930", "30e0a530", "30e0a5"].map(
    fromHex,
  ),
  ...["30c0b030", "30e080b030", "308030", "30bf30", "30ff30", "30e0a5e030", "302fd9a3", "302fd9a330", "30c3a930"].map(
    fromHex,
  ),
];

function derivationPaths(): Trap {
  const text = {
    height: 8_900_000,
    rule: "Levels of a derivation path are read as Java reads integers: signs, leading zeros, digits of other scripts",
    spec: "spec/04 §6.8",
  };
  const story = begin(text);
  const selector = keccak256(utf8("deriveExtendedPublicKey(string,string)")).subarray(0, 4);
  const derive = (key: string, path: string | Uint8Array) => {
    const args = [utf8(key), typeof path === "string" ? utf8(path) : path];
    const data = callData("deriveExtendedPublicKey(bytes,bytes)", args);
    story.send(USER, { to: WALLET_UTILS, data: concatBytes(selector, data.subarray(4)), gasLimit: 300_000n });
  };
  for (const path of PATHS) derive(KEY, path);
  const keys = [`${KEY} `, `${KEY}${"1".repeat(10)}`, KEY.slice(0, -1), KEY.replace("xpub", "tpub"), "", "xpub"];
  for (const key of keys) derive(key, "0");
  story.mine();
  return { text, story };
}

export const RARE_EXECUTION: readonly (() => Trap)[] = [
  longExponents,
  earlyOutOfGas,
  powersOfTwo,
  fullStack,
  derivationPaths,
];
