import type { NetworkConfig, Rules } from "@cambium/config";
import { bigintToFixedBytes, bytesToBigint, concatBytes, encodeRlp, equalBytes } from "@cambium/primitives";
import {
  PARENT_CHAINS,
  type ParentChainParameters,
  type ParentCheckpoint,
  type StoredParentBlock,
} from "../bitcoin/parent-chains.js";
import { BridgeError } from "../errors.js";
import type { Federation } from "../model/federation.js";
import { CELLS, compoundCell } from "../storage/cells.js";
import type { BridgeStorage } from "../storage/storage.js";
import { parentBlockHash, previousHash } from "./header-hash.js";

const HEADER_LENGTH = 80;
const LEGACY_WORK_LENGTH = 12;
const WORK_LENGTH = 32;
const WEEK_SECONDS = 604_800n;

/**
 * Encodes work, height and header: 96 bytes before RSKIP-454, 116 from it on (`spec/06b-1 §3.1`). Throws
 * {@link BridgeError} `PARENT_HEADER` if the work does not fit.
 */
export function encodeStoredBlock(block: StoredParentBlock, wideWork: boolean): Uint8Array {
  const workLength = wideWork ? WORK_LENGTH : LEGACY_WORK_LENGTH;
  if (block.work >= 1n << BigInt(8 * workLength))
    throw new BridgeError({ code: "PARENT_HEADER", reason: "chain work does not fit" });
  const work = bigintToFixedBytes(block.work, workLength);
  return concatBytes(work, bigintToFixedBytes(BigInt(block.height), 4), block.header);
}

/**
 * Decodes a stored block. Both forms are accepted at every height and distinguished by their length. A caller may pass
 * the address of any cell: any data of sufficient length decode as a block. Throws {@link BridgeError} `STORED_BLOCK`
 * if the data are too short.
 */
export function decodeStoredBlock(cell: Uint8Array): StoredParentBlock {
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

/** The checkpoint that precedes a federation by a week; its time in milliseconds is interpreted as seconds (quirk). */
function checkpointFor(parameters: ParentChainParameters, federation: Federation): ParentCheckpoint | undefined {
  const time = federation.creationTimeMillis - WEEK_SECONDS;
  return parameters.checkpoints.findLast((checkpoint) => checkpoint.time <= time);
}

/** The lowest possible block of the store with this active federation (`spec/06b-1 §3.7`). */
export function lowestBlock(network: NetworkConfig, active: Federation): StoredParentBlock {
  const parameters = PARENT_CHAINS[network.parentChain];
  return checkpointFor(parameters, active) ?? parameters.genesis;
}

/**
 * The bridge's chain of parent headers. Opening an empty store writes its first block, even from a view method
 * (`spec/06b-1 §3.2`).
 */
export class ParentBlockStore {
  private constructor(
    private readonly storage: BridgeStorage,
    private readonly network: NetworkConfig,
    private readonly rules: Rules,
  ) {}

  /** `activeFederation` is only called while the head is the genesis block. */
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

  head(): StoredParentBlock {
    return decodeStoredBlock(this.storage.readNow(CELLS.chainHead)!);
  }

  /** Any stored block, on the best chain or not, by its hash in display order. */
  get(hash: Uint8Array): StoredParentBlock | undefined {
    const cell = this.storage.readNow(hash);
    return cell === undefined ? undefined : decodeStoredBlock(cell);
  }

  parentOf(block: StoredParentBlock): StoredParentBlock | undefined {
    return this.get(previousHash(block.header));
  }

  /** The best chain's block at a height, by index or by walking the chain; "error" if the deployed client throws. */
  atHeight(height: number): StoredParentBlock | undefined | "error" {
    const head = this.head();
    // Heights and their differences are 32-bit integers in the deployed client.
    if (((head.height - height) | 0) < 0 || (this.rules.rskip199 && height < this.lowestSearchable(head.height)))
      return "error";
    return this.indexed(height) ?? this.atDepth(head.height - height);
  }

  /** The block `depth` below the head. */
  atDepth(depth: number): StoredParentBlock | undefined | "error" {
    const head = this.head();
    const block = this.ancestor(head, depth);
    return block !== undefined && block.height !== head.height - depth ? "error" : block;
  }

  /**
   * Returns the lowest searchable height. Until all lower blocks are indexed, only heights slightly below the head are
   * searchable (`spec/06b-1 §3.7`).
   */
  private lowestSearchable(headHeight: number): number {
    const { activationHeight, maxDepth } = this.network.bridge.blockIndex;
    return headHeight - activationHeight > maxDepth ? activationHeight : headHeight - maxDepth;
  }

  private indexed(height: number): StoredParentBlock | undefined {
    if (!this.rules.rskip199) return undefined;
    const hash = this.storage.readItem(compoundCell("btcBlockHeight", String(height)));
    return hash === undefined ? undefined : this.get(hash);
  }

  /** The block `depth` parents below a block, on any branch. */
  ancestor(block: StoredParentBlock, depth: number): StoredParentBlock | undefined {
    let cursor: StoredParentBlock | undefined = block;
    for (let i = 0; i < depth && cursor !== undefined; i++) cursor = this.parentOf(cursor);
    return cursor;
  }

  /** Stores a block under its hash immediately, whether or not the call succeeds. */
  put(block: StoredParentBlock): void {
    this.storage.writeNow(parentBlockHash(block.header), encodeStoredBlock(block, this.rules.rskip454));
  }

  /**
   * Makes a stored block the head. The head is written immediately, its index entry at the end of the call
   * (`spec/06b-1 §3.2`, quirk).
   */
  setHead(block: StoredParentBlock): void {
    this.storage.writeNow(CELLS.chainHead, encodeStoredBlock(block, this.rules.rskip454));
    this.setIndex(block);
  }

  /** Indexes a block as the best chain's block at its height (RSKIP-199). */
  setIndex(block: StoredParentBlock): void {
    if (!this.rules.rskip199) return;
    const hash = encodeRlp(parentBlockHash(block.header));
    this.storage.write(compoundCell("btcBlockHeight", String(block.height)), hash);
  }

  private setFirst(block: StoredParentBlock): void {
    this.put(block);
    this.setHead(block);
  }
}
