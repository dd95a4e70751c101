import { fromHex, keccak256, toData, toHex, toQuantity } from "@cambium/primitives";
import type { KeyedStateView } from "@cambium/state";
import { encodeReceipt, signTransaction, type TransactionRequest } from "@cambium/types";
import type { ActualResult } from "../block-execution.js";
import { machineOf } from "../networks.js";
import { logRecord, type StoryOutcome } from "./comparison.js";
import type { Story } from "./format.js";
import { type StoryBlockInput, StoryRun } from "./run.js";

export interface StorySigner {
  privateKey: Uint8Array;
  address: Uint8Array;
}

export interface StoryStart extends Pick<Story, "name" | "network" | "pre"> {
  /** Accounts that replace signers. */
  aliases?: readonly (readonly [StorySigner, Uint8Array])[];
  /** Whether results hold the logs. */
  logs?: boolean;
}

const GAS_LIMIT = 600_000_000n;
const GAS_PRICE = 60_000_000n;
const COINBASE = fromHex("c01bace000000000000000000000000000000001");
const START_TIME = 1_700_000_000;
const SECONDS_PER_BLOCK = 30;
/** Longer outputs are recorded by their hash. */
const MAX_OUTPUT = 128;

/**
 * Writes a story by executing it, so that the state after a block can be read before the next one is written. The
 * results come from this client; recorded vectors need those of the reference client instead.
 */
export class StoryWriter {
  private readonly run: StoryRun;
  private readonly aliases: Record<string, Uint8Array>;
  private readonly preRoot: Uint8Array;
  private readonly blocks: object[] = [];
  private waiting: { from: Uint8Array; encoded: Uint8Array }[] = [];

  /** `number` is the number of the block before the first one. */
  constructor(
    private readonly start: StoryStart,
    public number: number,
  ) {
    this.aliases = Object.fromEntries((start.aliases ?? []).map(([by, account]) => [toHex(by.address), account]));
    this.run = new StoryRun({ ...start, aliases: this.aliases });
    this.preRoot = this.run.start();
  }

  /** State after the last block. */
  get state(): KeyedStateView {
    return this.run.view;
  }

  /** The account that a signer's transactions act for. */
  accountOf({ address }: StorySigner): Uint8Array {
    return this.aliases[toHex(address)] ?? address;
  }

  /** Queues a transaction for the next block. */
  send(by: StorySigner, request: Partial<TransactionRequest>): void {
    const from = this.accountOf(by);
    const before = this.waiting.filter((other) => toHex(other.from) === toHex(from)).length;
    const nonce = this.state.getNonce(from) + BigInt(before);
    const { chainId } = machineOf(this.start.network).network;
    const plain = { nonce, gasPrice: GAS_PRICE, gasLimit: 3_000_000n, value: 0n, chainId };
    this.waiting.push({ from, encoded: signTransaction({ ...plain, ...request }, by.privateKey).encoded });
  }

  /** Executes the queued transactions as a block; `skip` heights before it are omitted from the story. */
  mine({ skip = 0, patches = [] }: { skip?: number; patches?: StoryBlockInput["patches"] } = {}): ActualResult[] {
    this.number += 1 + skip;
    const input: StoryBlockInput = {
      number: this.number,
      timestamp: BigInt(START_TIME + this.number * SECONDS_PER_BLOCK),
      gasLimit: GAS_LIMIT,
      coinbase: COINBASE,
      patches,
      txs: this.waiting.map(({ encoded }) => encoded),
    };
    this.waiting = [];
    const outcome = this.run.execute(input);
    this.blocks.push(blockRecord(input, outcome, this.start.logs ?? false));
    return outcome.results;
  }

  /** The story with this client's results, as one line that starts with `more`. */
  line(more: object = {}): string {
    const { name, network, pre } = this.start;
    const aliases = Object.fromEntries(Object.entries(this.aliases).map(([hex, account]) => [hex, toHex(account)]));
    return JSON.stringify({ ...more, name, network, aliases, pre, preRoot: toData(this.preRoot), blocks: this.blocks });
  }
}

function blockRecord(input: StoryBlockInput, outcome: StoryOutcome, logs: boolean): object {
  const { results, receiptsRoot, postRoot } = outcome;
  const patches = input.patches.map(([cell, value]) => [toData(cell), value && toData(value)]);
  return {
    number: input.number,
    timestamp: toQuantity(input.timestamp),
    gasLimit: toQuantity(input.gasLimit),
    coinbase: toData(input.coinbase),
    ...(patches.length === 0 ? {} : { patches }),
    txs: input.txs.map(toData),
    results: results.map((result) => resultRecord(result, logs)),
    receiptsRoot: toData(receiptsRoot),
    postRoot: toData(postRoot),
  };
}

function resultRecord(result: ActualResult, logs: boolean): object {
  if (!("outcome" in result)) return { rejected: "invalid" };
  const { outcome, receipt } = result;
  const { output } = outcome;
  return {
    status: outcome.status,
    gasUsed: toQuantity(outcome.gasUsed),
    paidFees: toQuantity(outcome.fee),
    receiptHash: toData(keccak256(encodeReceipt(receipt))),
    ...(output !== null && output.length > MAX_OUTPUT
      ? { outputHash: toData(keccak256(output)) }
      : { output: output && toData(output) }),
    ...(logs ? { logs: outcome.logs.map(logRecord) } : {}),
  };
}
