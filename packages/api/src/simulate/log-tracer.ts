import type { FrameFailure, TracedResult, Tracer } from "@cambium/evm";
import { append, bigintToFixedBytes, equalBytes, fromHex, keccak256, leftPad, utf8 } from "@cambium/primitives";
import type { JournaledState, StateCheckpoint, WorldState } from "@cambium/state";
import type { Log } from "@cambium/types";
import type { AnswerBudget } from "../tracing/tracers/answer-budget.js";
import { ObservedState } from "../tracing/tracers/observed-state.js";

/** Address that emits the transfers of coins, as if they belonged to a token (ERC-7528). */
const COIN_ADDRESS = fromHex("ee".repeat(20));
const TRANSFER = keccak256(utf8("Transfer(address,address,uint256)"));
const LOG_BYTES = 600;

/** A log, and the position of the state when it came, for a transfer before it. */
interface Entry {
  log: Log;
  position: StateCheckpoint;
  isTransfer: boolean;
}

/**
 * Records the logs of one call in order, and on request a log for each transfer of coins. Logs of failed frames are
 * dropped.
 */
export class LogTracer implements Tracer {
  private readonly entries: Entry[] = [];
  /** Number of entries at the start of each open frame, and of the one that ended last. */
  private readonly starts: number[] = [];
  private lastStart = 0;
  private observed: WorldState | undefined;

  constructor(
    private readonly tracesTransfers: boolean,
    private readonly budget: AnswerBudget,
  ) {}

  /** The logs of a call that succeeded. */
  get logs(): readonly Log[] {
    return this.entries.map(({ log }) => log);
  }

  /**
   * Returns the state to execute on. It notices all transfers, including those of native contracts, which open no
   * frame.
   */
  observe(state: JournaledState): WorldState {
    if (!this.tracesTransfers) return state;
    this.observed = new TransferringState(state, this.budget, {
      transferred: (from, to, value, position) => this.transfer(from, to, value, position),
      revertedTo: (checkpoint) => this.dropTransfers(checkpoint),
    });
    return this.observed;
  }

  enter(): void {
    this.starts.push(this.entries.length);
  }

  exit({ reverted, failure }: TracedResult): void {
    this.lastStart = this.starts.pop()!;
    if (reverted || failure !== undefined) this.entries.length = this.lastStart;
  }

  deposit(_gasCost: number, failure?: FrameFailure): void {
    if (failure !== undefined) this.entries.length = this.lastStart;
  }

  /** Records a self-destruct in favour of the account itself: its balance is destroyed without a transfer. */
  selfDestruct(address: Uint8Array, beneficiary: Uint8Array, amount: bigint): void {
    if (this.observed === undefined || !equalBytes(address, beneficiary)) return;
    this.transfer(address, beneficiary, amount, this.observed.checkpoint());
  }

  log(log: Log): void {
    this.add({ log, position: this.observed?.checkpoint() ?? 0, isTransfer: false });
  }

  private transfer(from: Uint8Array, to: Uint8Array, value: bigint, position: StateCheckpoint): void {
    if (value === 0n) return;
    const topics = [TRANSFER, leftPad(from, 32), leftPad(to, 32)];
    const log = { address: COIN_ADDRESS, topics, data: bigintToFixedBytes(value, 32) };
    this.add({ log, position, isTransfer: true });
  }

  /** Drops transfers but keeps logs: the logs of a failing native contract are kept, too. */
  private dropTransfers(checkpoint: StateCheckpoint): void {
    const { entries } = this;
    let first = entries.length;
    while (first > 0 && entries[first - 1]!.position >= checkpoint) first--;
    const kept = entries.splice(first).filter(({ isTransfer }) => !isTransfer);
    append(entries, kept);
  }

  private add(entry: Entry): void {
    this.budget.spend(LOG_BYTES + 2 * entry.log.data.length);
    this.entries.push(entry);
  }
}

interface TransferListener {
  transferred(from: Uint8Array, to: Uint8Array, value: bigint, position: StateCheckpoint): void;
  revertedTo(checkpoint: StateCheckpoint): void;
}

class TransferringState extends ObservedState {
  constructor(
    state: JournaledState,
    budget: AnswerBudget,
    private readonly listener: TransferListener,
  ) {
    super(state, budget);
  }

  override transfer(from: Uint8Array, to: Uint8Array, amount: bigint): void {
    const position = this.checkpoint();
    super.transfer(from, to, amount);
    this.listener.transferred(from, to, amount, position);
  }

  override revertTo(checkpoint: StateCheckpoint): void {
    super.revertTo(checkpoint);
    this.listener.revertedTo(checkpoint);
  }
}
