import { openChain } from "@cambium/chain";
import {
  addFirstVersion,
  adoptWrites,
  ChainStore,
  encodeTrieBlock,
  FACTS,
  FlatTables,
  LogIndexWriter,
  type StateLayout,
  TABLES,
} from "@cambium/chain-store";
import { NETWORKS, type NetworkConfig, REWARD_SENDER, rulesAt } from "@cambium/config";
import { numberKey, openLevelDatabase, type Write, WriteQueue } from "@cambium/database";
import { canonicalParentHeader, proofOfWorkTarget, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { type BlockTemplate, searchNonce, solutionOfCoinbase, solvedBlock } from "@cambium/miner";
import { bigintToTwosComplement, concatBytes, encodeRlp, keccak256, numberToBytes } from "@cambium/primitives";
import { accountKey, cellKey } from "@cambium/state";
import { Trie } from "@cambium/trie";
import { type Block, type BlockHeader, EMPTY_UNCLES_HASH, transactionsRoot } from "@cambium/types";
import { loggingBlock } from "../synthetic-chain.js";
import { balanceCell, TOKEN, TOKEN_CODE } from "./token.js";

/** Suffixes of an account's key (`spec/01 §4.4`). */
const [MARKER, CODE] = [Uint8Array.of(0x00), Uint8Array.of(0x80)];
/** Offsets of the hashes by which the keys of accounts, and of cells of one contract, are sorted. */
const [ACCOUNT_HASH, CELL_HASH] = [1, 32];

/** Number of entries after which the trie is saved. */
const BATCH = 20_000;
/** Mask of a hash's last bits, which an index below 2^24 replaces. */
const INDEX_MASK = 0xffffffn;

export function addressAt(index: number): Uint8Array {
  return keccak256(numberToBytes(index + 1)).slice(12);
}

export function cellAt(index: number): Uint8Array {
  return balanceCell(addressAt(index));
}

/** Content of a large state; by default the entries that transactions of the import benchmarks change. */
export interface LargeStateContent {
  network?: NetworkConfig;
  /** Code of the contract that has the cells. */
  code?: Uint8Array;
  addressAt?: (index: number) => Uint8Array;
  cellAt?: (index: number) => Uint8Array;
}

/**
 * Creates a database whose block 1 has a state of this number of accounts and cells, half of each, on top of the
 * genesis of its network.
 */
export async function createLargeState(
  location: string,
  entries: number,
  layout: StateLayout,
  content: LargeStateContent = {},
): Promise<void> {
  const { network = NETWORKS.local, code = TOKEN_CODE } = content;
  const { addressAt: address = addressAt, cellAt: cell = cellAt } = content;
  const database = await openLevelDatabase(location, { create: true });
  const chain = await openChain({ network, database, stateLayout: layout });
  const queue = new WriteQueue(database, { hashTable: TABLES.stateNodes });
  const root = chain.stateAfter(chain.genesis.hash)!.root;
  const state = layout === "flat" ? new GrowingFlatState(queue, root) : new GrowingArchive(queue, root);
  const token = accountKey(TOKEN);
  state.put(token, account({}));
  state.put(concatBytes(token, MARKER), Uint8Array.of(1));
  state.put(concatBytes(token, CODE), code);
  // The nonce counts the blocks.
  state.put(accountKey(REWARD_SENDER), account({ nonce: 1 }));
  const half = Math.floor(entries / 2);
  await state.putAll(half, ACCOUNT_HASH, (index) => [accountKey(address(index)), account({ balance: index + 1 })]);
  await state.putAll(half, CELL_HASH, (index) => [cellKey(token, cell(index)), numberToBytes(index + 1)]);
  const stateRoot = state.save();
  const hash = await appendBlock(queue, network, chain.genesis.hash, stateRoot);
  if (layout === "flat") {
    queue.append([
      { table: TABLES.facts, key: FACTS.trieBlock, value: encodeTrieBlock({ number: 1, hash, root: stateRoot }) },
      { table: TABLES.facts, key: FACTS.oldestState, value: numberKey(1) },
    ]);
  }
  await queue.idle();
  await database.close();
}

/** A trie that is saved from time to time, so that it does not fill the memory. */
abstract class GrowingState {
  protected trie: Trie;
  private unsaved = 0;

  constructor(
    protected readonly queue: WriteQueue,
    root: Uint8Array,
  ) {
    this.trie = this.open(root);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.trie.put(key, value);
    this.unsaved++;
  }

  /** Puts entries in the order of their keys, whose paths are mostly the same from one to the next. */
  async putAll(count: number, hashOffset: number, entryAt: (index: number) => [Uint8Array, Uint8Array]): Promise<void> {
    const order = BigUint64Array.from({ length: count }, (_, index) => {
      const [{ buffer, byteOffset }] = entryAt(index);
      const hash = new DataView(buffer, byteOffset).getBigUint64(hashOffset);
      return (hash & ~INDEX_MASK) | BigInt(index);
    }).sort();
    for (const entry of order) {
      this.put(...entryAt(Number(entry & INDEX_MASK)));
      if (this.unsaved < BATCH) continue;
      this.trie = this.open(this.save());
      await this.queue.room();
    }
  }

  /** Writes the entries put since the last call; returns the root. */
  save(): Uint8Array {
    const root = this.trie.hash();
    const writes: Write[] = [];
    this.addWrites(writes);
    this.queue.append(writes);
    this.unsaved = 0;
    return root;
  }

  protected abstract addWrites(writes: Write[]): void;
  protected abstract open(root: Uint8Array): Trie;
}

class GrowingArchive extends GrowingState {
  protected override addWrites(writes: Write[]): void {
    this.trie.save({ put: (key, value) => void writes.push({ table: TABLES.stateNodes, key, value }) });
  }

  protected override open(root: Uint8Array): Trie {
    return new Trie({ get: (hash) => this.queue.get(TABLES.stateNodes, hash) }, root);
  }
}

class GrowingFlatState extends GrowingState {
  private writes: Write[] = [];

  override put(key: Uint8Array, value: Uint8Array): void {
    super.put(key, value);
    addFirstVersion(this.writes, key, value, 1);
  }

  protected override addWrites(writes: Write[]): void {
    this.trie.saveByPlace({ put: (key, value) => void writes.push({ table: TABLES.trieNodes, key, value }) });
    writes.push(...this.writes);
    this.writes = [];
  }

  protected override open(root: Uint8Array): Trie {
    return new Trie(new FlatTables(this.queue).nodes, root);
  }
}

/** Adds block 1 with a state that no transaction made. */
async function appendBlock(
  queue: WriteQueue,
  network: NetworkConfig,
  parentHash: Uint8Array,
  stateRoot: Uint8Array,
): Promise<Uint8Array> {
  const log = { address: TOKEN, topics: [], data: new Uint8Array(0) };
  const { block: unsolved, receipts } = loggingBlock(1, parentHash, log, { config: network });
  const root = transactionsRoot(unsolved.transactions, rulesAt(network, 1));
  const header = unsolved.header.with({ stateRoot, transactionsRoot: root, unclesHash: EMPTY_UNCLES_HASH });
  const block = await solved(header, unsolved, network);
  const writes = new ChainStore(queue, network).blockWrites(block, receipts, { stateRoot, totalDifficulty: 2n });
  writes.push(...adoptWrites(block), ...new LogIndexWriter(queue).add(1, receipts));
  queue.append([...writes, { table: TABLES.facts, key: FACTS.best, value: block.hash }]);
  return block.hash;
}

/** Mines a block, whose difficulty must be low. */
async function solved(header: BlockHeader, { transactions, uncles }: Block, network: NetworkConfig): Promise<Block> {
  const { hashForMergedMining, difficulty, timestamp } = header;
  const coinbase = taggedCoinbase(hashForMergedMining);
  const unsolved = canonicalParentHeader(transactionId(coinbase), Number(timestamp), 0);
  const target = proofOfWorkTarget(difficulty ?? 0n);
  const solution = solutionOfCoinbase(await searchNonce(unsolved, target), coinbase);
  return solvedBlock({ header, hashForMergedMining, target, transactions, uncles } as BlockTemplate, solution, network);
}

/** Record of an account (`spec/01 §4.5`). */
function account({ nonce = 0, balance = 0 }): Uint8Array {
  return encodeRlp([numberToBytes(nonce), bigintToTwosComplement(BigInt(balance))]);
}
