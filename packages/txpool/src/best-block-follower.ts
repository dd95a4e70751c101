import type { ChainEvent, ChainReader } from "@cambium/chain";
import { isForDevelopment, STATE_EDITOR_ADDRESS } from "@cambium/config";
import { append, equalBytes, toHex } from "@cambium/primitives";
import type { Block, Transaction } from "@cambium/types";
import type { Admission, Origin } from "./admission.js";
import { bestStateOf } from "./best-state.js";
import type { PoolContents } from "./contents.js";
import type { PooledAccount } from "./entry.js";
import type { Room } from "./room.js";
import type { SenderCache } from "./senders.js";
import type { SlowSenders } from "./slow-senders.js";

/** Number of abandoned blocks whose transactions return; those of earlier blocks would have expired. */
const MAX_BLOCKS_BACK = 256;

const ABANDONED: Origin = { isLocal: false, isKnown: true };

/** A change of the best block. */
export type BestBlockEvent = Exclude<ChainEvent, { kind: "sideBlock" }>;

/** Transactions that a new best block made pending. */
export interface Moved {
  /** Transactions of abandoned blocks. */
  returned: readonly Transaction[];
  /** Queued transactions that became pending. */
  promoted: readonly Transaction[];
}

export interface FollowerParts {
  chain: ChainReader;
  contents: PoolContents;
  admission: Admission;
  room: Room;
  senders: SenderCache;
  slowSenders: SlowSenders;
}

/** Updates the pool for a new best block (`spec/08 §7`, `§12`). */
export class BestBlockFollower {
  constructor(private readonly parts: FollowerParts) {}

  /**
   * Returns transactions of abandoned blocks to the pool, removes those whose nonce has been used, and promotes queued
   * ones that continue the nonces. Accepts the senders of the new blocks again if they were refused as slow. Only
   * senders in the affected blocks are examined, except if blocks were missed, or a development tool has changed the
   * state or has rewound the chain. No transaction then returns, as the pool of such a network is cleared.
   */
  moveTo(event: BestBlockEvent): Moved {
    const { admission, contents, room, slowSenders, chain } = this.parts;
    const isRewind = event.kind === "reorg" && event.reorganisation.added.length === 0;
    const removed = event.kind === "reorg" && !isRewind ? this.blocks(event.reorganisation.removed) : [];
    const isContinuous = !isRewind && this.continues(event);
    admission.best = bestStateOf(chain, event.header);
    contents.version++;
    if (contents.count === 0 && removed.length === 0 && slowSenders.isEmpty) return { returned: [], promoted: [] };
    const added = event.kind === "reorg" ? this.blocks(event.reorganisation.added) : [event.block];
    const isEdited = isForDevelopment(chain.network) && added.some(changesState);
    const payers = this.sendersIn(added);
    for (const sender of payers.keys()) slowSenders.forgive(sender);
    const others = isContinuous && !isEdited ? new Map<string, Uint8Array>() : this.allSenders();
    const senders = new Map([...others, ...this.sendersIn(removed), ...payers]);
    for (const account of this.accountsOf(senders)) admission.realign(account);
    const returned = this.bringBack(removed);
    const promoted: Transaction[] = [];
    for (const account of this.accountsOf(senders)) {
      admission.realign(account);
      append(
        promoted,
        admission.promote(account).map(({ transaction }) => transaction),
      );
    }
    room.trimQueue();
    return { returned, promoted };
  }

  /** Whether the event continues from the pool's best block. */
  private continues(event: BestBlockEvent): boolean {
    const from = event.kind === "reorg" ? event.reorganisation.removed.at(-1) : event.header.parentHash;
    return from !== undefined && equalBytes(from, this.parts.admission.best.hash) && isShort(event);
  }

  private blocks(hashes: readonly Uint8Array[]): Block[] {
    const latest = hashes.slice(-MAX_BLOCKS_BACK).map((hash) => this.parts.chain.blockByHash(hash));
    return latest.filter((block) => block !== undefined);
  }

  private sendersIn(blocks: readonly Block[]): Map<string, Uint8Array> {
    const senders = new Map<string, Uint8Array>();
    for (const transaction of blocks.flatMap(({ transactions }) => transactions)) {
      if (transaction.isReward) continue;
      const pooled = this.parts.contents.get(toHex(transaction.hash));
      const sender = pooled?.sender ?? this.parts.senders.of(transaction);
      if (sender !== undefined) senders.set(toHex(sender), sender);
    }
    return senders;
  }

  private allSenders(): Map<string, Uint8Array> {
    return new Map([...this.parts.contents.accounts()].map(({ key, sender }) => [key, sender]));
  }

  private accountsOf(senders: ReadonlyMap<string, Uint8Array>): PooledAccount[] {
    const accounts = [...senders.values()].map((sender) => this.parts.contents.account(sender));
    return accounts.filter((account) => account !== undefined);
  }

  /** Returns transactions of the abandoned branch that are not in the new one. */
  private bringBack(blocks: readonly Block[]): Transaction[] {
    const returned: Transaction[] = [];
    for (const transaction of blocks.flatMap(({ transactions }) => transactions)) {
      if (transaction.isReward) continue;
      const admitted = this.parts.admission.admit(transaction, ABANDONED);
      if (admitted.kind !== "refused") returned.push(admitted.entry.transaction);
    }
    return returned;
  }
}

function isShort(event: BestBlockEvent): boolean {
  if (event.kind !== "reorg") return true;
  const { removed, added } = event.reorganisation;
  return Math.max(removed.length, added.length) <= MAX_BLOCKS_BACK;
}

/** Whether a development tool has changed the state by a block. */
function changesState({ transactions }: Block): boolean {
  return transactions.some(({ to }) => equalBytes(to, STATE_EDITOR_ADDRESS));
}
