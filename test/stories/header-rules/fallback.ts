import { NETWORKS } from "@cambium/config";
import {
  bigintToTwosComplement,
  concatBytes,
  EMPTY_BYTES,
  encodeRlp,
  type RlpInput,
  SECP256K1_N,
  secp256k1,
  signHash,
  toHex,
} from "@cambium/primitives";
import type { BlockHeader, HeaderFields } from "@cambium/types";
import { type HeaderRuleCase, headerAt, NOW } from "./cases.js";

/** Private keys that stand for those of the fallback miners, which are secret. */
const PRIVATE_KEYS = [new Uint8Array(32).fill(0x11), new Uint8Array(32).fill(0x22)] as const;
const PUBLIC_KEYS = PRIVATE_KEYS.map((key) => toHex(secp256k1.publicKey(key)));
const LIMIT = NETWORKS.main.consensus.fallbackMiningDifficulty;
/** Both keys, and the last block before RSKIP-98. */
const NUMBERS = [2, 3, 728_999];

/** Signed blocks of the main network before RSKIP-98, well and badly formed (`spec/03 §3.5`). */
export function* fallbackCases(): Iterable<HeaderRuleCase> {
  for (const number of NUMBERS) {
    for (const difficulty of [LIMIT, LIMIT + 1n]) yield signed(number, { difficulty }, (one) => signature(one, number));
  }
  for (const changes of [{ merkleProof: new Uint8Array(1) }, { parentChainCoinbase: new Uint8Array(1) }]) {
    yield signed(2, changes, (one) => signature(one, 2));
  }
  for (const number of [2, 3]) {
    yield signed(number, {}, (one) => signature(one, number + 1));
    for (const form of malformed()) yield signed(number, {}, (one) => form(one, number));
  }
}

function signed(number: number, changes: Partial<HeaderFields>, form: Form): HeaderRuleCase {
  const unsigned = { difficulty: LIMIT, merkleProof: EMPTY_BYTES, parentChainCoinbase: EMPTY_BYTES, ...changes };
  const draft = headerAt(NETWORKS.main, number, unsigned);
  const header = headerAt(NETWORKS.main, number, { ...unsigned, parentChainHeader: form(draft, number) });
  const encoded = toHex(header.encode("full"));
  return { network: "main", rule: "fallbackSignature", header: encoded, parent: encoded, now: NOW, keys: PUBLIC_KEYS };
}

type Form = (draft: BlockHeader, number: number) => Uint8Array;

interface Parts {
  v: RlpInput;
  r: bigint;
  s: bigint;
}

function parts(draft: BlockHeader, number: number): Parts {
  const { r, s, recovery } = signHash(draft.hashForMergedMining, PRIVATE_KEYS[number % 2]!);
  return { v: Uint8Array.of(27 + recovery), r, s };
}

function signature(draft: BlockHeader, number: number): Uint8Array {
  return encoded(parts(draft, number));
}

function encoded({ v, r, s }: Parts): Uint8Array {
  return encodeRlp([v, bigintToTwosComplement(r), bigintToTwosComplement(s)]);
}

function* malformed(): Iterable<Form> {
  const changed = (change: (parts: Parts) => Partial<Parts>) => (draft: BlockHeader, number: number) => {
    const original = parts(draft, number);
    return encoded({ ...original, ...change(original) });
  };
  for (const v of [0, 26, 27, 28, 29, 30, 31, 32, 127, 128, 255]) yield changed(() => ({ v: Uint8Array.of(v) }));
  yield changed(() => ({ v: EMPTY_BYTES }));
  yield changed(() => ({ v: Uint8Array.of(0, 27) }));
  yield changed(() => ({ v: [] }));
  yield changed(({ s }) => ({ s: SECP256K1_N - s }));
  for (const s of [SECP256K1_N / 2n - 1n, SECP256K1_N / 2n, SECP256K1_N / 2n + 1n, SECP256K1_N, 0n, 1n]) {
    yield changed(() => ({ s }));
  }
  for (const r of [0n, 1n, SECP256K1_N - 1n, SECP256K1_N, 2n ** 256n - 1n, 2n ** 264n]) yield changed(() => ({ r }));
  for (const [before, after] of [
    [[0], []],
    [[], [0]],
  ]) {
    yield (draft, number) => {
      const { v, r, s } = parts(draft, number);
      const longer = concatBytes(Uint8Array.from(before!), bigintToTwosComplement(r), Uint8Array.from(after!));
      return encodeRlp([v, longer, bigintToTwosComplement(s)]);
    };
  }
  yield (draft, number) => encodeRlp([signature(draft, number)]);
  yield (draft, number) => signature(draft, number).slice(0, -1);
  yield (draft, number) => concatBytes(signature(draft, number), Uint8Array.of(0));
  yield (draft, number) => concatBytes(signature(draft, number), encodeRlp([]));
  // Longer forms of the same items: a length before v, and two bytes for the length of the list.
  yield (draft, number) => {
    const content = contentOf(signature(draft, number));
    return concatBytes(Uint8Array.of(0xf8, content.length + 1, 0x81), content);
  };
  yield (draft, number) => {
    const content = contentOf(signature(draft, number));
    return concatBytes(Uint8Array.of(0xf9, 0, content.length), content);
  };
  for (const items of [0, 1, 2, 4]) yield () => encodeRlp(new Array(items).fill(Uint8Array.of(27)));
  yield (draft, number) => {
    const { v, r, s } = parts(draft, number);
    return encodeRlp([v, [bigintToTwosComplement(r)], bigintToTwosComplement(s)]);
  };
  yield () => EMPTY_BYTES;
  yield () => Uint8Array.of(0x80);
  yield () => new Uint8Array(80);
}

/** The bytes of a list without its prefix of two bytes. */
function contentOf(list: Uint8Array): Uint8Array {
  return list.subarray(2);
}
