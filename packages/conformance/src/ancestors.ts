import type { NetworkConfig } from "@cambium/config";
import {
  decodeRlpList,
  encodeRlp,
  fromHex,
  fromQuantity,
  keccak256,
  RawRlp,
  type RlpItem,
  utf8,
} from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import { BlockHeader, TypesError } from "@cambium/types";
import type { VectorFile } from "./interface.js";

interface AncestorEntry {
  number: number;
  hash: string;
  totalDifficulty: string;
  block: string;
}

/** Lists of ancestors, newest first, by key. */
export type AncestorLists = Readonly<Record<string, readonly AncestorEntry[]>>;

export function parseAncestorLists(file: VectorFile | undefined): AncestorLists {
  return file === undefined ? {} : (JSON.parse(file.text()) as AncestorLists);
}

/** Hash of a block that is in no list, as in the public Ethereum suites. */
function syntheticHash(number: number): Uint8Array {
  return keccak256(utf8(String(number)));
}

/** Reads ancestors from a list; other heights have only a synthetic hash. */
export function ancestorReader(list: readonly AncestorEntry[], network: NetworkConfig): AncestorReader {
  const byNumber = new Map(list.map((entry) => [entry.number, entry]));
  const items = (number: number): readonly RlpItem[] | undefined => {
    const entry = byNumber.get(number);
    return entry === undefined ? undefined : decodeRlpList(fromHex(entry.block));
  };
  return {
    hash: (number) => {
      const entry = byNumber.get(number);
      return entry === undefined ? syntheticHash(number) : fromHex(entry.hash);
    },
    header: (number) => {
      const block = items(number);
      return block === undefined ? undefined : decodeHeader(block[0]!, network);
    },
    uncles: (number) => items(number)?.[2]?.items.map((uncle) => decodeHeader(uncle, network)),
    totalDifficulty: (number) => {
      const entry = byNumber.get(number);
      return entry === undefined ? undefined : fromQuantity(entry.totalDifficulty);
    },
  };
}

/**
 * Reads a header of a list. The vectors' headers hold an (empty) item of execution edges at heights that have none;
 * it stands before the three items of merged mining.
 */
function decodeHeader(item: RlpItem, network: NetworkConfig): BlockHeader {
  try {
    return BlockHeader.decode(item, network);
  } catch (error) {
    if (!(error instanceof TypesError) || error.code !== "HEADER_SIZE") throw error;
    const edges = item.items.length - 4;
    const kept = item.items.filter((_, i) => i !== edges).map((field) => new RawRlp(field.raw));
    return BlockHeader.decode(encodeRlp(kept), network);
  }
}
