import { type BlockFault, faultSubject, type ImportResult, type RelayProfile, relayProfile } from "@cambium/chain";
import type { BlockVerdict, PeerId, PeerNetwork } from "@cambium/networking";
import { append, histogram, LruCache, platformClock, toHex } from "@cambium/primitives";
import type { PoolReader } from "@cambium/txpool";
import type { BlockHeader } from "@cambium/types";
import { FailedExecutions } from "./failed-executions.js";
import { type Orphan, OrphanStore } from "./orphan-store.js";
import type { GossipParts } from "./parts.js";
import { pooledSenders } from "./pooled-senders.js";
import {
  type CheckedBlock,
  checkBody,
  inOwnMemory,
  isMalformed,
  type ReceivedBlock,
  readBlock,
  ruleFault,
} from "./received-block.js";

const BLOCK_DELAY = histogram(
  "cambium_gossip_block_delay_seconds",
  "Time from the timestamp of a block to its arrival by gossip; miners choose timestamps",
  [0.5, 1, 2, 3, 5, 8, 12, 20, 30, 60, 120, 300],
);
/** Accepted heights around the best block (`spec/07 §B.3`): uncles are up to seven below it. */
const MAX_BEHIND = 7;
const MAX_AHEAD = 192 * 20;
/** Maximum number of blocks validated or imported at a time, in total and from one peer (`spec/07 §D.5`). */
const MAX_BUSY = 64;
const MAX_BUSY_PER_PEER = MAX_BUSY / 4;
/** Number of block hashes remembered as relayed by gossip. */
const MAX_RELAYED = 4096;
/** Number of hashes of descendants of invalid blocks that are remembered. */
const MAX_DESCENDANTS = 4096;
/** Number of wrong bodies of deployed nodes that are remembered. */
const MAX_WRONG_BODIES = 1024;
const MIN_BLOCK_BYTES = 4 * 1024 * 1024;

/** Result for a received block. `imported` is present if it was passed to the chain; undefined if the chain failed. */
export interface Taken extends BlockVerdict {
  imported?: Promise<ImportResult | undefined>;
}

const IGNORE: Taken = { verdict: "ignore" };
const REJECT: Taken = { verdict: "reject" };

export interface BlockIntakeParts extends Pick<GossipParts, "chain" | "engine" | "now" | "elapsed" | "logger"> {
  network: Pick<PeerNetwork, "peer" | "report">;
  pool: Pick<PoolReader, "knownSender">;
}

/**
 * Validates and imports single blocks from peers (`spec/07 §D.8`). A block is relayed before it is executed, one at a
 * time, and not for a while after a failure. Other nodes therefore do not blame this one for invalid blocks. Orphan
 * blocks wait until their parent is imported, from any source.
 */
export class BlockIntake {
  readonly orphans: OrphanStore;
  private readonly relayed = new LruCache<string, true>(MAX_RELAYED);
  /** Blocks being validated or imported, by hex hash, with their sender and a promise for the end of the work. */
  private readonly busy = new Map<string, { from: PeerId; over: Promise<void> }>();
  /** Orphan blocks whose parents have been imported, in order. */
  private readonly ready: Orphan[] = [];
  private isConnecting = false;
  private readonly failed = new FailedExecutions();
  /** Whether a block was relayed whose execution is not over. */
  private isUnsure = false;
  /** Hex hashes of descendants of invalid blocks. */
  private readonly descendants = new LruCache<string, true>(MAX_DESCENDANTS);
  /** Pairs of peer and hex hash. */
  private readonly wrongBodies = new LruCache<string, true>(MAX_WRONG_BODIES);

  constructor(
    private readonly parts: BlockIntakeParts,
    orphans = new OrphanStore(),
    private readonly profile: RelayProfile = relayProfile,
  ) {
    this.orphans = orphans;
  }

  private elapsed(): number {
    return this.parts.elapsed?.() ?? platformClock.now() / 1000;
  }

  /** Whether gossip already relays the block, so that it need not be announced. */
  isRelayed(hash: Uint8Array): boolean {
    return this.relayed.has(toHex(hash));
  }

  markRelayed(hash: Uint8Array): void {
    this.relayed.set(toHex(hash), true);
  }

  /** Whether a block is stored, being imported, an orphan, or known to be invalid. */
  isKnown(hash: Uint8Array): boolean {
    const id = toHex(hash);
    const { chain } = this.parts;
    const isHere = this.busy.has(id) || this.orphans.get(id) !== undefined;
    return isHere || this.isInvalid(hash) || chain.headerByHash(hash) !== undefined;
  }

  /** Resolves when an accepted block has been executed, with whether it is stored. */
  async isStored(hash: Uint8Array): Promise<boolean> {
    await this.busy.get(toHex(hash))?.over;
    return this.parts.chain.headerByHash(hash) !== undefined;
  }

  isPlausibleHeight(number: number): boolean {
    const best = this.parts.chain.best().header.number;
    return number >= best - MAX_BEHIND && number <= best + MAX_AHEAD;
  }

  /** Accepts a block from a peer, by gossip or in response to a request. Does not wait for the import. */
  async take(encoded: Uint8Array, from: PeerId): Promise<Taken> {
    const block = this.read(encoded, from);
    if (block === undefined) return REJECT;
    return { ...(await this.takeRead(block, from)), block: block.header };
  }

  private async takeRead(block: ReceivedBlock, from: PeerId): Promise<Taken> {
    const { header, id } = block;
    if (!this.isPlausibleHeight(header.number)) return IGNORE;
    const orphan = this.orphans.get(id);
    if (orphan !== undefined) return this.want(orphan, from);
    if (this.isKnown(header.hash) || !this.hasRoom(from)) return IGNORE;
    const judged = this.judge(block, from);
    this.occupy(block, from, () => judged.then(({ imported }) => imported));
    return judged;
  }

  /** Resolves when no block is being validated, imported or connected. */
  async settled(): Promise<void> {
    while (this.busy.size > 0 || this.isConnecting) {
      await Promise.all(Array.from(this.busy.values(), ({ over }) => over));
    }
  }

  /** Marks a block as busy until `work` settles; its errors are handled elsewhere. */
  private occupy({ id }: ReceivedBlock, from: PeerId, work: () => Promise<unknown>): Promise<void> {
    const release = () => void this.busy.delete(id);
    const over = work().then(release, release);
    this.busy.set(id, { from, over });
    return over;
  }

  private read(encoded: Uint8Array, from: PeerId): ReceivedBlock | undefined {
    const { chain, network } = this.parts;
    const most = Math.max(MIN_BLOCK_BYTES, Number(chain.best().header.gasLimitValue) / 3);
    if (encoded.length > most) {
      network.report(from, "UNREADABLE_MESSAGE", `block of ${encoded.length} bytes`);
      return undefined;
    }
    try {
      return readBlock(encoded, chain.network);
    } catch (error) {
      if (!isMalformed(error)) throw error;
      network.report(from, "UNREADABLE_MESSAGE", `no block: ${error.message}`);
      return undefined;
    }
  }

  private hasRoom(from: PeerId): boolean {
    if (this.busy.size >= MAX_BUSY) return false;
    let ofPeer = 0;
    for (const block of this.busy.values()) if (block.from === from) ofPeer++;
    return ofPeer < MAX_BUSY_PER_PEER;
  }

  private async judge(block: ReceivedBlock, from: PeerId): Promise<Taken> {
    const { chain } = this.parts;
    const { parentHash } = block.header;
    const lone = ruleFault(this.profile.headerRules, this.contextOf(block));
    if (lone !== undefined) return this.refuseFor(lone, block, from);
    // The parent may still be importing; the block is relayed only once its place in the chain is certain.
    await this.busy.get(toHex(parentHash))?.over;
    if (this.isInvalid(parentHash)) return this.ignoreDescendant(block);
    const parent = chain.headerByHash(parentHash);
    const known = parent ?? this.orphans.get(toHex(parentHash))?.header;
    const child = known === undefined ? undefined : this.childFault(block, known);
    if (child !== undefined) return this.refuseFor(child, block, from);
    const { fault, isBodyChecked } = checkBody(block, chain.network);
    if (fault !== undefined) return this.refuseBody(fault, block, from);
    const checked = { ...block, isBodyChecked };
    return parent === undefined ? this.keep(checked, from) : this.accept(checked, from);
  }

  private isInvalid(hash: Uint8Array): boolean {
    return this.parts.chain.isKnownInvalid(hash) || this.descendants.has(toHex(hash));
  }

  /** Remembers the hash in memory only: the block's work was not compared with the requirement of its height. */
  private ignoreDescendant({ id }: ReceivedBlock): Taken {
    this.descendants.set(id, true);
    return IGNORE;
  }

  private childFault(block: ReceivedBlock, parent: BlockHeader): BlockFault | undefined {
    return ruleFault(this.profile.childRules, { ...this.contextOf(block), parent });
  }

  private contextOf({ header }: ReceivedBlock) {
    return { header, network: this.parts.chain.network, now: this.parts.now() };
  }

  private refuseFor(fault: BlockFault, block: ReceivedBlock, from: PeerId): Taken {
    return faultSubject(fault) === "node" ? IGNORE : this.refuse(block, from, fault.code);
  }

  /**
   * Handles a wrong body. A deployed node announces a block whose lists it has not compared with the header
   * (`spec/07 §B.3`). It takes only the first of several bodies, so it is to blame if it sends a second wrong one for
   * the same hash.
   */
  private refuseBody(fault: BlockFault, block: ReceivedBlock, from: PeerId): Taken {
    const key = `${from} ${block.id}`;
    if (!this.isDeployed(from) || this.wrongBodies.has(key)) return this.refuseFor(fault, block, from);
    this.wrongBodies.set(key, true);
    return IGNORE;
  }

  private isDeployed(peer: PeerId): boolean {
    return this.parts.network.peer(peer)?.wire === "rlpx";
  }

  private refuse({ header, id }: ReceivedBlock, from: PeerId, reason: string): Taken {
    this.parts.network.report(from, "INVALID_BLOCK", `block ${header.number} ${id}: ${reason}`);
    return REJECT;
  }

  private keep(block: CheckedBlock, from: PeerId): Taken {
    const orphan = { ...inOwnMemory(block), from };
    return this.orphans.add(orphan) ? this.want(orphan, from) : IGNORE;
  }

  private want(orphan: Orphan, from: PeerId): Taken {
    const { hash, number } = this.orphans.missingAncestor(orphan);
    if (!this.busy.has(toHex(hash))) this.parts.engine.blockWanted(from, hash, number);
    return IGNORE;
  }

  /** Imports a block, and decides whether it is relayed before that or only afterwards. */
  private async accept(block: CheckedBlock, from: PeerId): Promise<Taken> {
    BLOCK_DELAY.observe(Math.max(this.parts.now() - Number(block.header.timestamp), 0));
    const isRelayedLater = this.isUnsure || this.failed.isCautious(this.elapsed());
    const imported = this.import(block, from);
    if (isRelayedLater) {
      const result = await imported;
      if (!result?.kind.startsWith("imported")) return { verdict: "ignore", imported };
    } else {
      this.isUnsure = true;
      void imported.then(() => {
        this.isUnsure = false;
      });
    }
    this.markRelayed(block.header.hash);
    return { verdict: "accept", imported };
  }

  /** Imports a block. Never rejects: no peer is at fault for an error of the chain itself. */
  private async import(block: CheckedBlock, from: PeerId): Promise<ImportResult | undefined> {
    const { chain, network, pool, logger } = this.parts;
    try {
      const { encoded: bytes, header, isBodyChecked } = block;
      const senders = pooledSenders(bytes, pool);
      const result = await chain.import({ bytes, header, senders, isBodyChecked, source: "gossip" });
      if (result.kind.startsWith("imported")) network.report(from, "VALID_BLOCK");
      if (result.kind === "invalid") await this.markInvalid(block, from, result.fault);
      return result;
    } catch (error) {
      logger.warn({ err: error, block: block.id }, "Failed to import a block of a peer");
      return undefined;
    }
  }

  /**
   * Records a block as invalid. The block has passed every check before execution. Its proof of work meets the
   * difficulty of its height, which bounds the number of recorded hashes, and its body matches its hash. A peer could
   * not know that, unless it sends several; a deployed node passes on any number.
   */
  private async markInvalid({ header, id }: ReceivedBlock, from: PeerId, fault: BlockFault): Promise<void> {
    const { chain, network, logger } = this.parts;
    logger.warn({ number: header.number, hash: id, fault: fault.code, peer: from }, "Invalid block");
    const subject = faultSubject(fault);
    if (subject === "node") return;
    this.orphans.dropDescendants(id);
    const now = this.elapsed();
    this.failed.note(now);
    const isToBlame = !this.isDeployed(from) && this.failed.isToBlame(from, now);
    if (isToBlame) network.report(from, "INVALID_BLOCK", `block ${header.number} ${id}: ${fault.code}`);
    if (subject === "block") await chain.rememberInvalid(header.hash);
  }

  /** Connects orphans; call it for each block that the chain has stored. */
  onStored(hash: Uint8Array): void {
    if (this.orphans.count === 0) return;
    const best = this.parts.chain.best().header.number;
    const children = this.orphans.takeChildren(toHex(hash));
    this.orphans.prune(best - MAX_BEHIND, best + MAX_AHEAD);
    if (children.length === 0) return;
    append(this.ready, children);
    void this.connect();
  }

  /** Imports ready orphans one after the other; {@link onStored} queues their children in turn. */
  private async connect(): Promise<void> {
    if (this.isConnecting) return;
    this.isConnecting = true;
    for (let orphan = this.ready.shift(); orphan !== undefined; orphan = this.ready.shift()) {
      const next = orphan;
      await this.occupy(next, next.from, () => this.connectOne(next));
    }
    this.isConnecting = false;
  }

  private async connectOne(orphan: Orphan): Promise<void> {
    const { chain, logger } = this.parts;
    try {
      await this.place(orphan, chain.headerByHash(orphan.header.parentHash));
    } catch (error) {
      logger.warn({ err: error, block: orphan.id }, "Failed to validate an orphan block");
    }
  }

  private async place(orphan: Orphan, parent: BlockHeader | undefined): Promise<void> {
    if (parent === undefined) return;
    const fault = this.childFault(orphan, parent);
    if (fault === undefined) {
      await this.import(orphan, orphan.from);
      return;
    }
    this.orphans.dropDescendants(orphan.id);
    this.refuseFor(fault, orphan, orphan.from);
  }
}
