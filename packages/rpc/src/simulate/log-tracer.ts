import type { FrameFailure, TracedFrame, TracedResult, Tracer } from "@cambium/evm";
import { bigintToFixedBytes, fromHex, keccak256, leftPad, utf8 } from "@cambium/primitives";
import type { Log } from "@cambium/types";
import type { AnswerBudget } from "../tracing/answer-budget.js";

/** Emits the transfers of coins, as if they were a token's (ERC-7528). */
const COIN_ADDRESS = fromHex("ee".repeat(20));
const TRANSFER = keccak256(utf8("Transfer(address,address,uint256)"));
const LOG_BYTES = 600;

/** Logs of one call in order, and on request one for each transfer of coins. Those of failed frames are dropped. */
export class LogTracer implements Tracer {
  /** Of each open frame; the first list is that of the call. */
  private readonly frames: Log[][] = [[]];
  private last: { logs: Log[]; start: number } | undefined;
  private hasFrame = false;

  constructor(
    private readonly tracesTransfers: boolean,
    private readonly budget: AnswerBudget,
  ) {}

  enter({ kind, from, to, value }: TracedFrame): void {
    this.hasFrame = true;
    this.frames.push([]);
    if (kind !== "delegatecall") this.transfer(from, to, value);
  }

  exit({ reverted, failure }: TracedResult): void {
    const logs = this.frames.pop()!;
    const outer = this.frames.at(-1)!;
    this.last = { logs: outer, start: outer.length };
    if (!reverted && failure === undefined) outer.push(...logs);
  }

  deposit(_gasCost: number, failure?: FrameFailure): void {
    if (failure !== undefined) this.last!.logs.length = this.last!.start;
  }

  selfDestruct(address: Uint8Array, beneficiary: Uint8Array, amount: bigint): void {
    this.transfer(address, beneficiary, amount);
  }

  log(log: Log): void {
    this.add(log);
  }

  /** The logs of a call that succeeded; `value` is what a call without code transferred. */
  logs(from: Uint8Array, to: Uint8Array, value: bigint): readonly Log[] {
    if (!this.hasFrame) this.transfer(from, to, value);
    return this.frames[0]!;
  }

  private transfer(from: Uint8Array, to: Uint8Array, value: bigint): void {
    if (!this.tracesTransfers || value === 0n) return;
    const topics = [TRANSFER, leftPad(from, 32), leftPad(to, 32)];
    this.add({ address: COIN_ADDRESS, topics, data: bigintToFixedBytes(value, 32) });
  }

  private add(log: Log): void {
    this.budget.spend(LOG_BYTES + 2 * log.data.length);
    this.frames.at(-1)!.push(log);
  }
}
