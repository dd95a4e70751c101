import type { ChainReader, Simulation } from "@cambium/chain";
import { REWARD_ADDRESS, rulesAt } from "@cambium/config";
import { EvmError, intrinsicGas, type LocalCallOutcome } from "@cambium/evm";
import { EMPTY_BYTES, toData, toQuantity } from "@cambium/primitives";
import type { AncestorReader, ExecutingBlock } from "@cambium/state";
import {
  type Block,
  type BlockHeader,
  bloomOfLogs,
  buildTransaction,
  type Log,
  type Receipt,
  type Transaction,
} from "@cambium/types";
import { overriddenBlock } from "../calls/block-overrides.js";
import type { SimulationChain, SimulationRequest } from "../calls/simulation.js";
import { failureReason, revertReason } from "../calls/simulation-failure.js";
import { applyOverrides } from "../calls/state-overrides.js";
import type { ApiConfig } from "../config.js";
import { RpcError, type RpcErrorName } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { type BlockObject, blockObject } from "../objects/block.js";
import { type LogObject, logObject } from "../objects/log.js";
import { AnswerBudget } from "../tracing/tracers/answer-budget.js";
import { LogTracer } from "./log-tracer.js";
import { type PlannedBlock, plannedBlocks } from "./planned-blocks.js";
import { simulatedBlock } from "./simulated-header.js";
import type { SimulatedCall, SimulationPayload } from "./simulation-payload.js";

/** A simulation on the state after a block: plain data that can be sent to another thread. */
export interface BlocksRequest extends Pick<SimulationRequest, "blockHash" | "pending" | "gasCap"> {
  payload: SimulationPayload;
}

/** Result of one call. */
export interface CallResult {
  returnData: string;
  logs: LogObject[];
  gasUsed: string;
  status: "0x0" | "0x1";
  error?: { code: number; message: string; data?: string };
}

/** A simulated block with the results of its calls. */
export type BlockResultObject = BlockObject & { calls: CallResult[] };

const REVERTED = 3;
const EXECUTION_FAILED = -32015;
const BLOCK_BYTES = 4_000;
const CALL_BYTES = 800;
const NO_COINBASE = new Uint8Array(20);

/**
 * Executes calls in blocks on top of a block, each on the state that those before it left (`eth_simulateV1`). Throws
 * {@link RpcError} if a block or call is invalid, or on a limit.
 */
export function simulateBlocks(
  parts: { chain: ChainReader; config: ApiConfig },
  chain: SimulationChain,
  request: BlocksRequest,
  limit: WorkLimit,
): BlockResultObject[] {
  const base = chain.headerByHash(request.blockHash)!;
  const { blockDuration } = chain.network.consensus;
  const planned = plannedBlocks(request.payload.blocks, base, blockDuration);
  const run = new BlocksRun(parts, chain, request, base);
  return planned.map((block) => {
    limit.check();
    return run.simulate(block, limit);
  });
}

/** An executed call of a block. */
interface Executed {
  transaction: Transaction;
  outcome: LocalCallOutcome;
  logs: readonly Log[];
  error: CallResult["error"];
}

class BlocksRun {
  private readonly simulation: Simulation;
  private readonly budget: AnswerBudget;
  private readonly headers = new Map<number, BlockHeader>();
  private readonly ancestors: AncestorReader;
  private parent: BlockHeader;
  private totalDifficulty: bigint;
  /** Gas that all calls together may still use. */
  private gasLeft: bigint;

  constructor(
    private readonly parts: { chain: ChainReader; config: ApiConfig },
    private readonly chain: SimulationChain,
    private readonly request: BlocksRequest,
    base: BlockHeader,
  ) {
    this.simulation = chain.openSimulation(request.blockHash);
    this.budget = new AnswerBudget(parts.config.maxResponseSize);
    this.headers.set(base.number, base);
    this.parent = base;
    this.totalDifficulty = parts.chain.totalDifficulty(base.hash) ?? 0n;
    this.gasLeft = request.gasCap > 0 ? BigInt(request.gasCap) : BigInt(Number.MAX_SAFE_INTEGER);
    const { ancestors } = this.simulation.block;
    this.ancestors = {
      hash: (number) => this.headers.get(number)?.hash ?? ancestors.hash(number),
      header: (number) => this.headers.get(number) ?? ancestors.header(number),
      uncles: (number) => (this.headers.has(number) ? [] : ancestors.uncles(number)),
      totalDifficulty: (number) => (this.headers.has(number) ? undefined : ancestors.totalDifficulty(number)),
    };
  }

  simulate(planned: PlannedBlock, limit: WorkLimit): BlockResultObject {
    this.budget.spend(BLOCK_BYTES);
    const { state } = this.simulation;
    const context = this.contextOf(planned);
    applyOverrides(state, planned.overrides);
    const executed: Executed[] = [];
    let gasUsed = 0;
    let fees = 0n;
    for (const call of planned.calls) {
      limit.check();
      const one = this.execute(call, context, BigInt(gasUsed));
      executed.push(one);
      gasUsed += one.outcome.gasUsed;
      fees += one.outcome.fee;
    }
    if (fees > 0n) state.addBalance(REWARD_ADDRESS, fees);
    const result = {
      transactions: executed.map(({ transaction }) => transaction),
      receipts: receiptsOf(executed),
      gasUsed,
      paidFees: fees,
    };
    const block = simulatedBlock(context, result, this.chain.network);
    this.parent = block.header;
    this.headers.set(block.number, block.header);
    this.totalDifficulty += block.header.difficultyValue;
    return this.object(block, executed);
  }

  /** Returns the block that calls see. Without validation the minimum gas price is 0, like go-ethereum's base fee. */
  private contextOf(planned: PlannedBlock): ExecutingBlock {
    const { parent } = this;
    const { blockOverrides, number, timestamp } = planned;
    const context: ExecutingBlock = {
      number,
      timestamp,
      parentHash: parent.hash,
      coinbase: parent.coinbase.length === 20 ? parent.coinbase : NO_COINBASE,
      difficulty: parent.difficultyValue,
      gasLimit: parent.gasLimitValue,
      minimumGasPrice: this.request.payload.validation ? parent.minimumGasPriceValue : 0n,
      ancestors: this.ancestors,
    };
    return { ...overriddenBlock(context, blockOverrides), number, timestamp };
  }

  private execute(call: SimulatedCall, context: ExecutingBlock, gasUsed: bigint): Executed {
    const { state } = this.simulation;
    const nonce = call.nonce ?? state.getNonce(call.from);
    const blockGas = context.gasLimit - gasUsed;
    if (call.gas !== undefined && call.gas > blockGas) {
      throw invalidCall("BLOCK_GAS_LIMIT", `block gas limit reached: ${gasUsed} used of ${context.gasLimit}`);
    }
    const wanted = call.gas ?? blockGas;
    const gasLimit = wanted < this.gasLeft ? wanted : this.gasLeft;
    const { to, value, data, gasPrice } = call;
    const transaction = buildTransaction({ nonce, gasPrice, gasLimit, to, value, data });
    transaction.setSender(call.from);
    this.check(call, transaction, context);
    const tracer = new LogTracer(this.request.payload.traceTransfers, this.budget);
    const outcome = this.run({ ...call, gasLimit }, context, tracer);
    this.gasLeft -= BigInt(outcome.gasUsed);
    const error = errorOf(outcome);
    this.budget.spend(CALL_BYTES + 2 * ((outcome.output?.length ?? 0) + data.length));
    const logs = error === undefined ? tracer.logs : [];
    return { transaction, outcome, logs, error };
  }

  /** The checks before an execution: nonce and gas price only under validation, funds only of a named sender. */
  private check(
    { from, value, gasPrice, isAnonymous }: SimulatedCall,
    transaction: Transaction,
    context: ExecutingBlock,
  ): void {
    const { state } = this.simulation;
    const { gasLimit, nonce } = transaction;
    const { network } = this.chain;
    if (this.request.payload.validation) {
      const expected = state.getNonce(from);
      if (nonce < expected) throw invalidCall("NONCE_TOO_LOW", `nonce too low: ${nonce}, state ${expected}`);
      if (nonce > expected) throw invalidCall("NONCE_TOO_HIGH", `nonce too high: ${nonce}, state ${expected}`);
      if (gasPrice < context.minimumGasPrice) {
        throw invalidCall("GAS_PRICE_TOO_LOW", `gas price ${gasPrice} below the minimum of ${context.minimumGasPrice}`);
      }
    }
    const intrinsic = BigInt(intrinsicGas(transaction, rulesAt(network, context.number), network));
    if (gasLimit < intrinsic) {
      throw invalidCall("INTRINSIC_GAS_TOO_LOW", `intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`);
    }
    if (isAnonymous && !this.request.payload.validation) return;
    const [balance, cost] = [state.getBalance(from), value + gasPrice * gasLimit];
    if (balance < cost) {
      throw invalidCall(
        "INSUFFICIENT_FUNDS",
        `insufficient funds for gas * price + value: have ${balance}, want ${cost}`,
      );
    }
  }

  private run(
    call: SimulatedCall & { gasLimit: bigint },
    context: ExecutingBlock,
    tracer: LogTracer,
  ): LocalCallOutcome {
    try {
      return this.simulation.execute(call, context, tracer, tracer.observe(this.simulation.state));
    } catch (error) {
      // A native contract that is called directly cannot start.
      throw error instanceof EvmError ? invalidCall("INTRINSIC_GAS_TOO_LOW", "precompiled contract failed") : error;
    }
  }

  private object(block: Block, executed: readonly Executed[]): BlockResultObject {
    const { returnFullTransactions } = this.request.payload;
    const object = blockObject(this.parts, block, returnFullTransactions);
    let logIndex = 0;
    const calls = executed.map(({ transaction, outcome, logs, error }, index): CallResult => {
      const position = {
        blockNumber: toQuantity(block.number),
        blockHash: toData(block.hash),
        blockTimestamp: toQuantity(block.header.timestamp),
        transactionHash: toData(transaction.hash),
        transactionIndex: toQuantity(index),
      };
      return {
        returnData: toData(outcome.output ?? EMPTY_BYTES),
        logs: logs.map((log) => logObject(log, position, logIndex++)),
        gasUsed: toQuantity(outcome.gasUsed),
        status: error === undefined ? "0x1" : "0x0",
        ...(error === undefined ? {} : { error }),
      };
    });
    return { ...object, totalDifficulty: toQuantity(this.totalDifficulty), calls };
  }
}

/** Receipts hold the real logs only, without transfers of coins. */
function receiptsOf(executed: readonly Executed[]): Receipt[] {
  let cumulativeGas = 0;
  return executed.map(({ outcome: { gasUsed, logs: emitted }, error }) => {
    const logs = error === undefined ? emitted : [];
    cumulativeGas += gasUsed;
    return { status: error === undefined ? 1 : 0, gasUsed, cumulativeGas, logs, logsBloom: bloomOfLogs(logs) };
  });
}

/** The failure of a call, with go-ethereum's codes for this method. */
function errorOf({ reverted, exception, output }: LocalCallOutcome): CallResult["error"] {
  if (reverted) {
    const payload = output ?? EMPTY_BYTES;
    const reason = revertReason(payload);
    const message = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
    return { code: REVERTED, message, data: toData(payload) };
  }
  return exception && { code: EXECUTION_FAILED, message: failureReason(exception) };
}

function invalidCall(code: RpcErrorName, text: string): RpcError {
  return new RpcError({ code, text });
}
