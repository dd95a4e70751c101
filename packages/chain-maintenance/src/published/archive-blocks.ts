import { BlockError, calcDifficulty, proofOfWork } from "@cambium/chain";
import type { WeighedBlock } from "@cambium/chain-store";
import { FORK_DETECTION_HEADERS, type NetworkConfig } from "@cambium/config";
import { decodeRlpItem, equalBytes, RlpError, type RlpItem, twosComplementToBigint } from "@cambium/primitives";
import { Block, type BlockHeader, TypesError } from "@cambium/types";
import { PublishedStateError } from "./errors.js";

/** Maximum number of blocks; publishers write 4,000. */
const MAX_BLOCKS = 2 ** 14;
/** Maximum number of transactions in all blocks: 131 in each of 4,000. Their index is written in one batch. */
const MAX_TRANSACTIONS = 2 ** 19;
/** Maximum number of RLP items in a block. Decoded, each takes about a hundred bytes. */
const MAX_ITEMS = 2 ** 18;
/** Number of ancestors whose hashes a contract can read. */
const BLOCK_HASHES = 256;
const MAX_DIFFICULTY_BYTES = 64;

/**
 * Verifies the blocks of an archive one after the other (`spec/10 §4`, points 1 to 3): they form one chain; bodies
 * match their headers; work, difficulties and total difficulties are right. The total difficulty of the first block
 * cannot be verified unless it is block 1.
 */
export class ArchiveBlocks {
  /** Blocks above genesis, ascending. */
  readonly chain: WeighedBlock[] = [];
  /** The newest block. */
  newest: Block | undefined;
  private parent: BlockHeader | undefined;
  private totalDifficulty = 0n;
  private transactions = 0;

  constructor(
    private readonly network: NetworkConfig,
    private readonly genesis: BlockHeader,
  ) {}

  /** Decodes and verifies an element. Throws {@link PublishedStateError} `ARCHIVE_BLOCK` or `ARCHIVE_LIMIT`. */
  add(payload: Uint8Array, isList: boolean): { hash: Uint8Array; encoded: Uint8Array } {
    requireAtMost(MAX_BLOCKS, "blocks", this.chain.length + 1);
    const { encoded, totalDifficulty } = tupleOf(payload, isList);
    requireAtMost(MAX_ITEMS, "RLP items in a block", itemCount(encoded));
    const block = this.decode(encoded);
    this.transactions += block.transactions.length;
    requireAtMost(MAX_TRANSACTIONS, "transactions", this.transactions);
    const { number, hash } = block;
    this.verify(block, totalDifficulty);
    this.parent = block.header;
    this.totalDifficulty = totalDifficulty;
    if (number > 0) this.chain.push({ number, hash, totalDifficulty });
    this.newest = block;
    return { hash, encoded };
  }

  /** Verifies that the following blocks can be validated. Throws {@link PublishedStateError} `TOO_FEW_BLOCKS`. */
  requireEnough(): void {
    const best = this.chain.at(-1)!.number;
    const forkDetection = best + 1 > FORK_DETECTION_HEADERS ? FORK_DETECTION_HEADERS : 0;
    const expected = Math.min(best, Math.max(this.network.reward.maturity, BLOCK_HASHES, forkDetection));
    const actual = this.chain.length;
    if (actual < expected) throw new PublishedStateError({ code: "TOO_FEW_BLOCKS", expected, actual });
  }

  private decode(encoded: Uint8Array): Block {
    try {
      const block = Block.decode(encoded, this.network);
      if (equalBytes(block.encode(), encoded)) return block;
    } catch (error) {
      if (!(error instanceof TypesError)) throw error;
      throw refused(this.expectedNumber, `it is malformed: ${error.message}`);
    }
    throw refused(this.expectedNumber, "it is malformed: its encoding is not canonical");
  }

  private get expectedNumber(): number | undefined {
    return this.parent && this.parent.number + 1;
  }

  private verify(block: Block, totalDifficulty: bigint): void {
    const { header, number } = block;
    if (number === 0) {
      this.verifyGenesis(header, totalDifficulty);
      return;
    }
    this.verifyContent(block);
    const known = this.parent ?? (number === 1 ? this.genesis : undefined);
    if (known !== undefined) this.verifyLink(block, known, totalDifficulty);
    if (totalDifficulty < block.cumulativeDifficulty) {
      throw refused(number, "its total difficulty is below its difficulty");
    }
  }

  private verifyContent(block: Block): void {
    const { header, number, uncles } = block;
    if (!equalBytes(block.unclesHash, header.unclesHash)) throw refused(number, "its uncles do not match its header");
    try {
      block.verifyTransactionsRoot(this.network);
      proofOfWork(header, this.network);
      for (const uncle of uncles) proofOfWork(uncle, this.network);
    } catch (error) {
      if (error instanceof TypesError) throw refused(number, "its transactions do not match its header");
      if (error instanceof BlockError) throw refused(number, `its work is invalid: ${error.message}`);
      throw error;
    }
  }

  /** Archives do not need block 0, but may contain it. */
  private verifyGenesis({ hash }: BlockHeader, totalDifficulty: bigint): void {
    if (this.parent !== undefined) throw refused(0, "it does not follow the block before");
    if (!equalBytes(hash, this.genesis.hash)) throw refused(0, "it is the genesis block of another network");
    if (totalDifficulty !== this.genesis.difficultyValue) throw refused(0, "its total difficulty is wrong");
  }

  private verifyLink(block: Block, parent: BlockHeader, totalDifficulty: bigint): void {
    const { header, number } = block;
    if (number !== parent.number + 1 || !equalBytes(header.parentHash, parent.hash)) {
      throw refused(number, `it is not the child of block ${parent.number}, which precedes it`);
    }
    if (header.difficultyValue !== calcDifficulty(header, parent, this.network))
      throw refused(number, "its difficulty is wrong");
    const before = parent === this.genesis ? parent.difficultyValue : this.totalDifficulty;
    if (totalDifficulty !== before + block.cumulativeDifficulty) throw refused(number, "its total difficulty is wrong");
  }
}

/** The two parts of a block's element. */
function tupleOf(payload: Uint8Array, isList: boolean): { encoded: Uint8Array; totalDifficulty: bigint } {
  if (!isList) throw refused(undefined, "expected a list of block and total difficulty");
  const [block, difficulty] = pairOf(payload);
  if (block.isList || difficulty.isList) throw refused(undefined, "block and total difficulty must be byte strings");
  const { bytes } = difficulty;
  if (bytes.length === 0 || bytes.length > MAX_DIFFICULTY_BYTES || bytes[0]! >= 0x80) {
    throw refused(undefined, "its total difficulty is not a positive number");
  }
  return { encoded: block.bytes, totalDifficulty: twosComplementToBigint(bytes) };
}

function pairOf(payload: Uint8Array): [RlpItem, RlpItem] {
  try {
    const first = decodeRlpItem(payload);
    const second = decodeRlpItem(payload, first.end);
    if (second.end === payload.length) return [first, second];
  } catch (error) {
    if (!(error instanceof RlpError)) throw error;
    throw refused(undefined, "its element is malformed");
  }
  throw refused(undefined, "a list of more than block and total difficulty");
}

/** Returns the number of items in an encoding, nested ones included. Stops at a malformed one, and after too many. */
function itemCount(encoded: Uint8Array): number {
  let count = 0;
  try {
    for (let at = 0; at < encoded.length && count <= MAX_ITEMS; count++) {
      const item = decodeRlpItem(encoded, at);
      at = item.isList ? item.end - item.payload.length : item.end;
    }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error;
  }
  return count;
}

function requireAtMost(maximum: number, what: string, actual: number): void {
  if (actual > maximum) throw new PublishedStateError({ code: "ARCHIVE_LIMIT", what, maximum });
}

function refused(number: number | undefined, reason: string): PublishedStateError {
  return new PublishedStateError({ code: "ARCHIVE_BLOCK", number, reason });
}
