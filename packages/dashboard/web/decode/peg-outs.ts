import { bytesToHex, concat, fromRlp, hexToBytes, sha256 } from "viem";
import type { Hex } from "../node/types.js";

/** Peg-outs in progress, in the order of their stages. */
export interface PegOuts {
  /** Requests that the next batch will pay. */
  queued: readonly { amount: bigint; request: Hex | undefined }[];
  /** Transactions that wait for confirmations. */
  unconfirmed: readonly { parentId: Hex; block: number; request: Hex | undefined }[];
  /** Transactions that wait for the federation's signatures. */
  unsigned: readonly UnsignedPegOut[];
}

export interface UnsignedPegOut {
  parentId: Hex;
  request: Hex;
  /** Signatures that the first input has, and how many it needs. */
  signatures: number;
  required: number;
  /** Parent-chain keys of the members who may sign. */
  members: readonly Hex[];
}

/**
 * Decodes the result of the bridge's `getStateForDebugging` (`spec/06b-1 §2.3`): a list of height, outputs, and the
 * lists of the three stages, each of them encoded by itself. Entries from before RSKIP-146 have no hash of their
 * request and are not listed.
 */
export function decodePegOuts(state: Hex): PegOuts {
  const [, , unsigned, queued, unconfirmed] = listOf(state);
  return {
    unsigned: groups(unsigned, 2).map(([request, transaction]) => {
      const { parentId, items } = readTransaction(hexToBytes(transaction!));
      const signatures = items.slice(1, -1).filter(({ length }) => length >= SHORTEST_SIGNATURE).length;
      return { request: request!, parentId, signatures, ...readMultisig(items.at(-1)) };
    }),
    queued: groups(queued, 3).map(([, amount, request]) => ({ amount: numberOf(amount!), request })),
    unconfirmed: groups(unconfirmed, 3).map(([transaction, block, request]) => ({
      parentId: readTransaction(hexToBytes(transaction!)).parentId,
      block: Number(numberOf(block!)),
      request,
    })),
  };
}

function listOf(encoded: Hex | undefined): Hex[] {
  const list = encoded === undefined || encoded === "0x" ? [] : fromRlp(encoded, "hex");
  return Array.isArray(list) ? (list as Hex[]) : [];
}

function groups(encoded: Hex | undefined, size: number): Hex[][] {
  const items = listOf(encoded);
  return Array.from({ length: Math.floor(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

function numberOf(bytes: Hex): bigint {
  return bytes === "0x" ? 0n : BigInt(bytes);
}

const SHORTEST_SIGNATURE = 9;
const OP = { pushData1: 0x4c, pushData2: 0x4d, one: 0x51, sixteen: 0x60, else: 0x67, checkMultisig: 0xae };
const KEY_LENGTH = 33;

/** Reads bytes in order. */
class Reader {
  at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isDone(): boolean {
    return this.at >= this.bytes.length;
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** A little-endian number. */
  number(length: number): number {
    return this.take(length).reduceRight((sum, byte) => sum * 256 + byte, 0);
  }

  /** A length or count. */
  variable(): number {
    const first = this.number(1);
    return first < 0xfd ? first : this.number(2 ** (first - 0xfc));
  }

  /** A data push, empty for an opcode that pushes no data. */
  push(opcode: number): Uint8Array {
    if (opcode < OP.pushData1) return this.take(opcode);
    if (opcode > OP.pushData2) return new Uint8Array();
    return this.take(this.number(opcode === OP.pushData1 ? 1 : 2));
  }
}

/**
 * Reads the id in display order, without the prefix that hashes of this chain have, and the data that unlock the first
 * input: the items of its witness or of its script. The last item is the federation's script.
 */
function readTransaction(raw: Uint8Array): { parentId: Hex; items: readonly Uint8Array[] } {
  const reader = new Reader(raw);
  reader.take(4);
  const hasWitness = raw[4] === 0;
  if (hasWitness) reader.take(2);
  const start = reader.at;
  const scripts = Array.from({ length: reader.variable() }, () => {
    reader.take(36);
    const script = reader.take(reader.variable());
    reader.take(4);
    return script;
  });
  for (let left = reader.variable(); left > 0; left--) {
    reader.take(8);
    reader.take(reader.variable());
  }
  const end = reader.at;
  const witness = hasWitness
    ? Array.from({ length: reader.variable() }, () => reader.take(reader.variable()))
    : undefined;
  const withoutWitness = concat([raw.slice(0, 4), raw.slice(start, end), raw.slice(-4)]);
  const digest = sha256(sha256(withoutWitness)).slice(2);
  const parentId = digest.match(/../g)!.toReversed().join("") as Hex;
  return { parentId, items: witness ?? pushesOf(scripts[0] ?? new Uint8Array()) };
}

function pushesOf(script: Uint8Array): Uint8Array[] {
  const pushes: Uint8Array[] = [];
  for (const reader = new Reader(script); !reader.isDone; ) pushes.push(reader.push(reader.number(1)));
  return pushes;
}

/** Number and keys of the members' part of a federation's script, which is followed by that of the emergency keys. */
function readMultisig(script: Uint8Array = new Uint8Array()): { required: number; members: readonly Hex[] } {
  const members: Hex[] = [];
  let required = 0;
  for (const reader = new Reader(script); !reader.isDone; ) {
    const opcode = reader.number(1);
    if (opcode === OP.else || opcode === OP.checkMultisig) break;
    const data = reader.push(opcode);
    if (data.length === KEY_LENGTH) members.push(bytesToHex(data));
    else if (members.length === 0 && opcode >= OP.one && opcode <= OP.sixteen) required = opcode - OP.one + 1;
    else if (members.length === 0 && data.length === 1) required = data[0]!;
  }
  return { required, members };
}
