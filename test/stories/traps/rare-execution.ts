import { bigintToFixedBytes, concatBytes, fromHex, keccak256, utf8 } from "@cambium/primitives";
import { USER } from "../peg-story.js";
import { begin, type Trap } from "./trap.js";

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

export const RARE_EXECUTION: readonly (() => Trap)[] = [longExponents, earlyOutOfGas];
