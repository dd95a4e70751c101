import {
  bigintToFixedBytes,
  bytesToBigint,
  concatBytes,
  equalBytes,
  SECP256K1_N,
  secp256k1,
  toHex,
} from "@cambium/primitives";
import { PublishedStateError } from "./errors.js";
import { type IndexEntry, parseIndex } from "./signer-index.js";

/** The entries of a signer's index. */
export interface SignerIndex {
  /** Uncompressed public key, 65 bytes. */
  signer: Uint8Array;
  entries: readonly IndexEntry[];
}

export interface ChosenArchive {
  height: number;
  /** SHA-256 of the file. */
  hash: Uint8Array;
  /** Paths of the archive below the base address. */
  paths: readonly string[];
  /** Signers whose signatures are valid. */
  signers: readonly Uint8Array[];
}

/** Recovery ids of a signature. */
const RECOVERIES = [0, 1, 2, 3];
const KEY_BYTES = 65;

/** A signer whose index is missing or malformed. */
export interface UnreadIndex {
  signer: Uint8Array;
  error: unknown;
}

/** Reads the index of each signer by `read`, which is given a path below the base address. */
export async function readIndexes(
  signers: readonly Uint8Array[],
  read: (path: string) => Promise<string>,
): Promise<{ indexes: SignerIndex[]; unread: UnreadIndex[] }> {
  const indexes: SignerIndex[] = [];
  const unread: UnreadIndex[] = [];
  for (const signer of signers) {
    try {
      indexes.push({ signer, entries: parseIndex(await read(`${toHex(signer)}/index.json`)) });
    } catch (error) {
      unread.push({ signer, error });
    }
  }
  return { indexes, unread };
}

/** Number of signers that must agree (`spec/10 §2`). */
function quorumOf(signers: number): number {
  return Math.max(Math.floor(signers / 2) + 1, 2);
}

/**
 * Chooses the highest archive that a quorum of `signers` lists with the same hash, and verifies its signatures
 * (`spec/10 §2`). `indexes` are those that could be read. Throws {@link PublishedStateError} `NO_QUORUM` or
 * `SIGNATURES`.
 */
export function chooseArchive(indexes: readonly SignerIndex[], signers: number): ChosenArchive {
  const required = quorumOf(signers);
  const group = groupsOf(indexes)
    .filter((members) => members.length >= required)
    .sort((a, b) => b[0]!.entry.height - a[0]!.entry.height)[0];
  if (group === undefined) {
    throw new PublishedStateError({ code: "NO_QUORUM", signers, indexes: indexes.length, required });
  }
  const { height, hash } = group[0]!.entry;
  const valid = group.filter(({ signer, entry }) => isSigned(entry, signer));
  if (valid.length < required) {
    throw new PublishedStateError({ code: "SIGNATURES", height, required, actual: valid.length });
  }
  const paths = [...new Set(valid.map(({ entry }) => entry.path))];
  return { height, hash, paths, signers: valid.map(({ signer }) => signer) };
}

interface Member {
  signer: Uint8Array;
  entry: IndexEntry;
}

/** Entries with the same height and hash. */
function groupsOf(indexes: readonly SignerIndex[]): Member[][] {
  const groups = new Map<string, Member[]>();
  for (const { signer, entries } of indexes) {
    for (const entry of entries) {
      const key = `${entry.height} ${toHex(entry.hash)}`;
      const group = groups.get(key) ?? [];
      group.push({ signer, entry });
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/** Whether `signer` has signed the hash itself; `s` may be above half the order. */
function isSigned(entry: Pick<IndexEntry, "hash" | "r" | "s">, signer: Uint8Array): boolean {
  const [r, s] = [bytesToBigint(entry.r), bytesToBigint(entry.s)];
  if (signer.length !== KEY_BYTES || r <= 0n || r >= SECP256K1_N || s <= 0n || s >= SECP256K1_N) return false;
  const low = s > SECP256K1_N / 2n ? SECP256K1_N - s : s;
  const signature = concatBytes(bigintToFixedBytes(r, 32), bigintToFixedBytes(low, 32));
  return RECOVERIES.some((recovery) => {
    const key = secp256k1.recover(entry.hash, signature, recovery);
    return key !== undefined && equalBytes(key, signer.subarray(1));
  });
}
