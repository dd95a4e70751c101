import { isDeepStrictEqual } from "node:util";
import { MinerError } from "../errors.js";
import type { TimeAdjustment } from "./time-adjustment.js";
import { nextTimestamp } from "./timestamp.js";

/**
 * Header fields that the miner of a development network chooses; those that are absent follow the builder's options.
 */
export interface ChosenFields {
  /** Timestamp in seconds; takes precedence over the shift of the clock. */
  timestamp?: bigint;
  /** Coinbase, 20 bytes. */
  coinbase?: Uint8Array;
  /** Target to which the gas limit moves as fast as the rules allow. */
  gasLimitTarget?: bigint;
  minimumGasPriceTarget?: bigint;
  /** Whether this block reaches the targets immediately, marked with `FREE_STEPS`. */
  hasFreeSteps?: boolean;
}

/** Settings with which the next block is built. */
export interface NextBlockRequest {
  /** Shift of the timestamp in seconds. */
  adjustment: number;
  chosen: ChosenFields;
}

/** Whether both requests would build the same block at the same time. */
export function isSameRequest(a: NextBlockRequest, b: NextBlockRequest): boolean {
  return a.adjustment === b.adjustment && isDeepStrictEqual(a.chosen, b.chosen);
}

/** State of the clock in a snapshot. */
export interface ClockState {
  shift: number;
  timestamp: bigint | undefined;
}

/** Settings of development tools for the next blocks of a development network. */
export class NextBlocks {
  /** Timestamp of the next block only, in seconds. */
  private timestamp: bigint | undefined;
  /** Seconds between the timestamps of further blocks. */
  timestampInterval: bigint | undefined;
  /** Coinbase of all further blocks, 20 bytes. */
  coinbase: Uint8Array | undefined;
  /** Target for the gas limit of all further blocks. */
  gasLimit: bigint | undefined;
  /** Whether the node prints the transactions of the blocks. */
  isLogged = true;
  /** Whether the node prints the calls of the transactions too. */
  isTraced = false;
  /** Target for the minimum gas price of all further blocks, in wei. */
  minimumGasPrice: bigint | undefined;

  constructor(
    private readonly adjustment: TimeAdjustment,
    private readonly latestTimestamp: () => bigint,
    /** Current time in milliseconds. */
    private readonly now: () => number,
  ) {}

  /** Settings of a block that is mined now. */
  get request(): NextBlockRequest {
    return { adjustment: this.adjustment.shift, chosen: this.chosen };
  }

  /** The header fields that are set. */
  get chosen(): ChosenFields {
    const { coinbase, gasLimit, minimumGasPrice, timestampInterval: interval } = this;
    const timestamp = this.timestamp ?? (interval === undefined ? undefined : this.latestTimestamp() + interval);
    return {
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(coinbase === undefined ? {} : { coinbase }),
      ...(gasLimit === undefined ? {} : { gasLimitTarget: gasLimit }),
      ...(minimumGasPrice === undefined ? {} : { minimumGasPriceTarget: minimumGasPrice }),
    };
  }

  /** Timestamp of a block that is mined now, in seconds. */
  get time(): bigint {
    const parentTimestamp = this.latestTimestamp();
    const { shift: adjustment } = this.adjustment;
    return this.chosen.timestamp ?? nextTimestamp({ now: this.now() / 1000, parentTimestamp, adjustment });
  }

  /**
   * Sets the timestamp of the next block, from which the clock then continues. Throws {@link MinerError} `TIMESTAMP`
   * unless it is later than that of the best block.
   */
  setTimestamp(seconds: bigint): void {
    this.requireLater(seconds);
    this.timestamp = seconds;
  }

  /**
   * Sets the clock. Returns the seconds by which it moves. Throws {@link MinerError} `TIMESTAMP` unless the time is
   * later than that of the best block.
   */
  setTime(seconds: bigint): number {
    this.requireLater(seconds);
    const before = this.adjustment.shift;
    this.timestamp = undefined;
    this.adjustment.set(this.shiftTo(seconds));
    return this.adjustment.shift - before;
  }

  /** Moves the clock forward to the time of the best block. */
  catchUp(): void {
    this.adjustment.keepAtLeast(this.shiftTo(this.latestTimestamp()));
  }

  /** Records that a block was mined with these fields, and that this shift in seconds had been requested. */
  mined(chosen: ChosenFields, requested: number): void {
    if (chosen.timestamp === undefined) {
      this.adjustment.consume(requested);
      return;
    }
    if (chosen.timestamp === this.timestamp) this.timestamp = undefined;
    this.adjustment.set(this.shiftTo(chosen.timestamp));
  }

  clockState(): ClockState {
    return { shift: this.adjustment.shift, timestamp: this.timestamp };
  }

  restoreClock({ shift, timestamp }: ClockState): void {
    this.adjustment.set(shift);
    this.timestamp = timestamp;
  }

  /** Clears all settings. */
  clear(): void {
    this.adjustment.set(0);
    this.timestamp = undefined;
    this.timestampInterval = undefined;
    this.coinbase = undefined;
    this.gasLimit = undefined;
    this.minimumGasPrice = undefined;
  }

  private shiftTo(seconds: bigint): number {
    return Number(seconds) - Math.floor(this.now() / 1000);
  }

  private requireLater(timestamp: bigint): void {
    const latest = this.latestTimestamp();
    if (timestamp <= latest) throw new MinerError({ code: "TIMESTAMP", timestamp, latest });
  }
}
