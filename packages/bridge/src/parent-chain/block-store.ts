import type { NetworkConfig, Rules } from "@cambium/config";
import { bigintToFixedBytes, bytesToBigint, concatBytes, encodeRlp, equalBytes } from "@cambium/primitives";
import { BridgeError } from "../errors.js";
import type { Federation } from "../federation/federation.js";
import { CELLS, compoundCell } from "../storage/cells.js";
import type { BridgeStorage } from "../storage/storage.js";
import { parentBlockHash, previousHash } from "./header-hash.js";
import { type Checkpoint, PARENT_CHAINS, type ParentChainParameters, type StoredBlock } from "./parameters.js";

const HEADER_LENGTH = 80;
const LEGACY_WORK_LENGTH = 12;
const WORK_LENGTH = 32;
const WEEK_SECONDS = 604_800n;

/**
 * Work, height, header: 96 bytes before RSKIP-454, 116 from it (`spec/06b-1 §3.1`). Throws {@link BridgeError}
 * `PARENT_HEADER` when the work has no room.
 */
export function encodeStoredBlock(block: StoredBlock, wideWork: boolean): Uint8Array {
  const workLength = wideWork ? WORK_LENGTH : LEGACY_WORK_LENGTH;
  if (block.work >= 1n << BigInt(8 * workLength))
    throw new BridgeError({ code: "PARENT_HEADER", reason: "too much work" });
  const work = bigintToFixedBytes(block.work, workLength);
  return concatBytes(work, bigintToFixedBytes(BigInt(block.height), 4), block.header);
}

/**
 * Both forms are read at every height, told apart by their length. Anybody may ask for the block at any cell's address:
 * what is long enough is read as a block, whatever it is. Throws {@link BridgeError} `STORED_BLOCK`.
 */
export function decodeStoredBlock(cell: Uint8Array): StoredBlock {
  const workLength = cell.length === LEGACY_WORK_LENGTH + 4 + HEADER_LENGTH ? LEGACY_WORK_LENGTH : WORK_LENGTH;
  const headerStart = workLength + 4;
  if (cell.length < headerStart + HEADER_LENGTH) {
    throw new BridgeError({ code: "STORED_BLOCK", length: cell.length });
  }
  return {
    work: bytesToBigint(cell.subarray(0, workLength)),
    height: Number(BigInt.asIntN(32, bytesToBigint(cell.subarray(workLength, headerStart)))),
    header: cell.subarray(headerStart, headerStart + HEADER_LENGTH),
  };
}

/** The checkpoint that precedes a federation by a week; its time in milliseconds is taken for seconds (quirk). */
function checkpointFor(parameters: ParentChainParameters, federation: Federation): Checkpoint | undefined {
  const time = federation.creationTimeMillis - WEEK_SECONDS;
  return parameters.checkpoints.findLast((checkpoint) => checkpoint.time <= time);
}

/** The lowest block that a store of this federation's time can have (`spec/06b-1 §3.7`). */
export function lowestBlock(network: NetworkConfig, active: Federation): StoredBlock {
  const parameters = PARENT_CHAINS[network.parentChain];
  return checkpointFor(parameters, active) ?? parameters.genesis;
}

/**
 * The parent-chain headers that the bridge knows. Opening an empty store writes its first block, even when a view method
 * asked for it (`spec/06b-1 §3.2`).
 */
export class ParentBlockStore {
  private constructor(
    private readonly storage: BridgeStorage,
    private readonly network: NetworkConfig,
    private readonly rules: Rules,
  ) {}

  /** `activeFederation` is asked only while the head is the genesis block. */
  static open(
    storage: BridgeStorage,
    network: NetworkConfig,
    rules: Rules,
    activeFederation: () => Federation,
  ): ParentBlockStore {
    const store = new ParentBlockStore(storage, network, rules);
    const parameters = PARENT_CHAINS[network.parentChain];
    if (storage.readNow(CELLS.chainHead) === undefined) store.setFirst(parameters.genesis);
    if (equalBytes(store.head().header, parameters.genesis.header)) {
      const checkpoint = checkpointFor(parameters, activeFederation());
      if (checkpoint !== undefined) store.setFirst(checkpoint);
    }
    return store;
  }

  head(): StoredBlock {
    return decodeStoredBlock(this.storage.readNow(CELLS.chainHead)!);
  }

  /** Any stored block, on the best chain or not, by its hash in display order. */
  get(hash: Uint8Array): StoredBlock | undefined {
    const cell = this.storage.readNow(hash);
    return cell === undefined ? undefined : decodeStoredBlock(cell);
  }

  parentOf(block: StoredBlock): StoredBlock | undefined {
    return this.get(previousHash(block.header));
  }

  /** The best chain's block at a height, by the index or by walking. "error" where the network's client throws. */
  atHeight(height: number): StoredBlock | undefined | "error" {
    const head = this.head();
    // Heights are 32-bit integers there, and so is their difference.
    if (((head.height - height) | 0) < 0 || (this.rules.rskip199 && height < this.lowestSearchable(head.height)))
      return "error";
    return this.indexed(height) ?? this.atDepth(head.height - height);
  }

  /** Walks `depth` parents down from the head. */
  atDepth(depth: number): StoredBlock | undefined | "error" {
    const head = this.head();
    const block = this.ancestor(head, depth);
    return block !== undefined && block.height !== head.height - depth ? "error" : block;
  }

  /** Before every block below is indexed one may only ask a little below the head (`spec/06b-1 §3.7`). */
  private lowestSearchable(headHeight: number): number {
    const { activationHeight, maxDepth } = this.network.bridge.blockIndex;
    return headHeight - activationHeight > maxDepth ? activationHeight : headHeight - maxDepth;
  }

  private indexed(height: number): StoredBlock | undefined {
    if (!this.rules.rskip199) return undefined;
    const hash = this.storage.readItem(compoundCell("btcBlockHeight", String(height)));
    return hash === undefined ? undefined : this.get(hash);
  }

  /** The block `depth` parents down, on whichever branch. */
  ancestor(block: StoredBlock, depth: number): StoredBlock | undefined {
    let cursor: StoredBlock | undefined = block;
    for (let i = 0; i < depth && cursor !== undefined; i++) cursor = this.parentOf(cursor);
    return cursor;
  }

  /** Stores a block under its hash, at once: whether the call succeeds or not. */
  put(block: StoredBlock): void {
    this.storage.writeNow(parentBlockHash(block.header), encodeStoredBlock(block, this.rules.rskip454));
  }

  /** Makes a stored block the head; at once, but its index with the end of the call (`spec/06b-1 §3.2`, quirk). */
  setHead(block: StoredBlock): void {
    this.storage.writeNow(CELLS.chainHead, encodeStoredBlock(block, this.rules.rskip454));
    this.setIndex(block);
  }

  /** Makes a block the one of its height on the best chain (RSKIP-199). */
  setIndex(block: StoredBlock): void {
    if (!this.rules.rskip199) return;
    const hash = encodeRlp(parentBlockHash(block.header));
    this.storage.write(compoundCell("btcBlockHeight", String(block.height)), hash);
  }

  private setFirst(block: StoredBlock): void {
    this.put(block);
    this.setHead(block);
  }
}
