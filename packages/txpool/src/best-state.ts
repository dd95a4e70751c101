import { type ChainReader, listGasLimits } from "@cambium/chain";
import { hasExecutionLists, type NetworkConfig, type Rules, rulesAt } from "@cambium/config";
import { bytesToBigint } from "@cambium/primitives";
import type { StateView } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import { TxPoolError } from "./errors.js";

/** The best block, with the values that admission needs. */
export interface BestState {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  readonly number: number;
  /** State after the block. */
  readonly state: StateView;
  readonly network: NetworkConfig;
  /** Rules of the best block, not of the next one (`spec/08 §11`, P1). */
  readonly rules: Rules;
  readonly gasLimit: bigint;
  /** Maximum gas limit of a transaction: that of the block's largest execution list. */
  readonly transactionGasLimit: bigint;
  readonly minimumGasPrice: bigint;
}

/** Computes the values. Throws {@link TxPoolError} `STATE_MISSING`. */
export function bestStateOf(chain: ChainReader, header: BlockHeader): BestState {
  const { hash, number } = header;
  const state = chain.stateAfter(hash);
  if (state === undefined) throw new TxPoolError({ code: "STATE_MISSING", blockHash: hash });
  const { network } = chain;
  const rules = rulesAt(network, number);
  const gasLimit = bytesToBigint(header.gasLimit);
  const minimumGasPrice = header.minimumGasPrice ?? 0n;
  const transactionGasLimit = largestListGas(gasLimit, rules, network);
  return { header, hash, number, state, network, rules, gasLimit, transactionGasLimit, minimumGasPrice };
}

/** Returns the gas limit of the largest list (`spec/08 §5`, row 5: L). */
export function largestListGas(gasLimit: bigint, rules: Rules, network: NetworkConfig): bigint {
  if (!hasExecutionLists(rules)) return gasLimit;
  const { sequential, parallel } = listGasLimits(gasLimit, BigInt(network.consensus.minimumSequentialGas));
  if (parallel > sequential) return parallel;
  return sequential;
}
