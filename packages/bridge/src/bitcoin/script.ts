import { sha256 } from "@cambium/merged-mining";
import { concatBytes, hash160, joinBytes } from "@cambium/primitives";
import { BridgeError } from "../errors.js";

// Scripts of the parent chain: spec/06b-3 §1.1.

export const OP = {
  pushData1: 0x4c,
  pushData2: 0x4d,
  pushData4: 0x4e,
  negative1: 0x4f,
  one: 0x51,
  sixteen: 0x60,
  if: 0x63,
  notIf: 0x64,
  else: 0x67,
  endIf: 0x68,
  return: 0x6a,
  drop: 0x75,
  dup: 0x76,
  equal: 0x87,
  equalVerify: 0x88,
  hash160: 0xa9,
  codeSeparator: 0xab,
  checkSig: 0xac,
  checkMultisig: 0xae,
  checkMultisigVerify: 0xaf,
  checkSequenceVerify: 0xb2,
} as const;

/** One opcode, with `data` if it is a push. Opcode 0 pushes empty data. */
export interface ScriptChunk {
  readonly opcode: number;
  readonly data?: Uint8Array;
  /** The chunk's bytes in the script. */
  readonly raw: Uint8Array;
}

/** Size of a push's length field, or -1 if the opcode is not a push. */
function lengthBytes(opcode: number): number {
  if (opcode < OP.pushData1) return 0;
  if (opcode > OP.pushData4) return -1;
  return 1 << (opcode - OP.pushData1);
}

/** Splits a script into opcodes and pushes. Throws {@link BridgeError} `PARENT_SCRIPT` if a push is truncated. */
export function parseScript(script: Uint8Array): ScriptChunk[] {
  const chunks: ScriptChunk[] = [];
  for (let at = 0; at < script.length; ) {
    const start = at;
    const opcode = script[at++]!;
    const extra = lengthBytes(opcode);
    if (extra < 0) {
      chunks.push({ opcode, raw: script.subarray(start, at) });
      continue;
    }
    let length = extra === 0 ? opcode : 0;
    for (let i = extra - 1; i >= 0; i--) length = length * 256 + (script[at + i] ?? 0);
    at += extra;
    if (at + length > script.length) throw new BridgeError({ code: "PARENT_SCRIPT", reason: `push at byte ${start}` });
    chunks.push({ opcode, data: script.subarray(at, at + length), raw: script.subarray(start, at + length) });
    at += length;
  }
  return chunks;
}

/** Works like {@link parseScript}, but returns undefined if the script cannot be parsed. */
export function tryParseScript(script: Uint8Array): ScriptChunk[] | undefined {
  try {
    return parseScript(script);
  } catch (error) {
    if (error instanceof BridgeError) return undefined;
    throw error;
  }
}

export function joinChunks(chunks: readonly ScriptChunk[]): Uint8Array {
  return joinBytes(chunks.map((chunk) => chunk.raw));
}

/**
 * A push with the shortest length field. Throws {@link BridgeError} `PARENT_SCRIPT` if that would need four length
 * bytes.
 */
export function pushData(data: Uint8Array): Uint8Array {
  const { length } = data;
  if (length > 0xffff) throw new BridgeError({ code: "PARENT_SCRIPT", reason: `${length} bytes to push` });
  if (length < OP.pushData1) return concatBytes(Uint8Array.of(length), data);
  if (length < 0x100) return concatBytes(Uint8Array.of(OP.pushData1, length), data);
  return concatBytes(Uint8Array.of(OP.pushData2, length & 0xff, length >> 8), data);
}

/** Output script that pays to a public-key hash. */
export function publicKeyHashOutput(hash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(OP.dup, OP.hash160, 20), hash, Uint8Array.of(OP.equalVerify, OP.checkSig));
}

/** Output script that pays to a script hash. */
export function scriptHashOutput(hash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(OP.hash160, 20), hash, Uint8Array.of(OP.equal));
}

/** The witness program inside P2SH: `0020` and the script's SHA-256. */
export function witnessProgram(script: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0, 32), sha256(script));
}

/** Hash in the P2SH output of a script, or of its witness program if `segwit` is set. */
export function redeemHash(script: Uint8Array, segwit: boolean): Uint8Array {
  return hash160(segwit ? witnessProgram(script) : script);
}

/** Whether the script is `OP_HASH160 <20 bytes> OP_EQUAL`. */
export function isScriptHashOutput(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === OP.hash160 && script[1] === 20 && script[22] === OP.equal;
}

/**
 * Returns the public-key hash that a script pays by its opcodes, however the hash is pushed; undefined if it pays none.
 * Throws {@link BridgeError} `PARENT_SCRIPT` if the hash is replaced by an opcode, as the deployed client does.
 */
export function publicKeyHashOf(chunks: readonly ScriptChunk[]): Uint8Array | undefined {
  const [dup, hash, key, verify, check] = chunks;
  if (chunks.length !== 5 || dup!.opcode !== OP.dup || hash!.opcode !== OP.hash160) return undefined;
  if (key!.data === undefined)
    throw new BridgeError({ code: "PARENT_SCRIPT", reason: "an opcode in place of a public-key hash" });
  const isShaped = key!.data.length === 20 && verify!.opcode === OP.equalVerify && check!.opcode === OP.checkSig;
  return isShaped ? key!.data : undefined;
}

/** Whether the script pays directly to a public key. */
export function isPublicKeyOutput(chunks: readonly ScriptChunk[]): boolean {
  const [key, check] = chunks;
  return chunks.length === 2 && (key!.data?.length ?? 0) > 1 && check!.opcode === OP.checkSig;
}

/** The script without OP_CODESEPARATORs, as used in signature hashes. */
export function withoutCodeSeparators(script: Uint8Array): Uint8Array {
  const chunks = tryParseScript(script);
  if (chunks === undefined || !chunks.some((chunk) => chunk.opcode === OP.codeSeparator)) return script;
  return joinChunks(chunks.filter((chunk) => chunk.opcode !== OP.codeSeparator));
}
