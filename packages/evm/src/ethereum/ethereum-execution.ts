import { EMPTY_BYTES, fromHex, toHex } from "@cambium/primitives";
import type { ExecutingBlock, JournaledState } from "@cambium/state";
import { JournaledStateManager } from "@cambium/state/ethereumjs";
import { type Common, createCustomCommon, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM, type EVMResult } from "@ethereumjs/evm";
import { Address, createZeroAddress } from "@ethereumjs/util";
import { EvmError } from "../errors.js";
import type { EthereumHardfork } from "../ethereum-hardforks.js";
import type { LocalCall, TransactionOutcome } from "../interface.js";
import type { Tracer } from "../tracer.js";
import { exceptionKind } from "./exceptions.js";
import { reportSteps } from "./step-events.js";
import { afterRefund, ethereumFloorGas, ethereumIntrinsicGas } from "./transaction-gas.js";

/** Bytes (EIP-3860). */
const MAX_INIT_CODE = 49_152;

/** Block, rules and limits of an execution. */
export interface EthereumRun {
  hardfork: EthereumHardfork;
  chainId: number;
  block: ExecutingBlock;
  /** Changed by the execution. */
  state: JournaledState;
  tracer?: Tracer;
  /** Called before each step; it throws to end the execution. */
  check?: () => void;
}

/**
 * Executes a call with the effects of a legacy transaction, on this chain's state but under the rules of an Ethereum
 * hard fork, by `@ethereumjs/evm`. This chain's native contracts are accounts without code under these rules. Blocks
 * have a base fee of zero; PREVRANDAO is the hash of the parent. Rejects with {@link EvmError} `INTRINSIC_GAS`,
 * `INIT_CODE_SIZE` or `BALANCE`, or with the error of `check`.
 */
export async function executeEthereum(call: LocalCall, run: EthereumRun): Promise<TransactionOutcome> {
  const { hardfork, chainId, block, state, tracer = {}, check = () => undefined } = run;
  const common = createCustomCommon({ chainId }, Mainnet, { hardfork });
  const isCreation = call.to.length === 0;
  const intrinsic = ethereumIntrinsicGas(call.data, isCreation, common);
  const floor = ethereumFloorGas(call.data, common);
  refuse(call, state.getBalance(call.from), Math.max(intrinsic, floor), common);
  const evm = await openEvm(block, state, common);
  reportSteps(evm, state, tracer, check);
  warm(evm, call, block, common);
  state.addBalance(call.from, -call.gasPrice * call.gasLimit);
  const result = await evm.runCall({
    caller: new Address(call.from),
    to: isCreation ? undefined : new Address(call.to),
    data: call.data,
    value: call.value,
    gasPrice: call.gasPrice,
    gasLimit: call.gasLimit - BigInt(intrinsic),
    block: { header: headerOf(block) },
  });
  const { execResult } = result;
  const used = intrinsic + Number(execResult.executionGasUsed);
  const refunded = afterRefund(used, Number(execResult.gasRefund ?? 0n), common);
  const gasUsed = Math.max(refunded, floor);
  state.addBalance(call.from, call.gasPrice * (call.gasLimit - BigInt(gasUsed)));
  state.addBalance(block.coinbase, call.gasPrice * BigInt(gasUsed));
  const deleted = destroyedAccounts(result, common);
  for (const account of deleted) state.deleteAccount(fromHex(account));
  await evm.journal.cleanup();
  state.clearTransientStorage();
  const fee = call.gasPrice * BigInt(gasUsed);
  const outcome = outcomeOf(result, { deleted, gasUsed, refund: used - refunded, fee });
  tracer.end?.(outcome);
  return outcome;
}

/** Throws {@link EvmError} for a transaction that Ethereum would not execute. */
function refuse(call: LocalCall, balance: bigint, leastGas: number, common: Common): void {
  const { data, to, gasLimit, gasPrice, value } = call;
  if (gasLimit < BigInt(leastGas)) {
    throw new EvmError({ code: "INTRINSIC_GAS", reason: `gas limit ${gasLimit}, at least ${leastGas} is needed` });
  }
  if (to.length === 0 && common.isActivatedEIP(3860) && data.length > MAX_INIT_CODE) {
    throw new EvmError({ code: "INIT_CODE_SIZE", reason: `${data.length} bytes, at most ${MAX_INIT_CODE}` });
  }
  const cost = value + gasPrice * gasLimit;
  if (balance < cost) throw new EvmError({ code: "BALANCE", reason: `balance ${balance}, needed ${cost}` });
}

function openEvm(block: ExecutingBlock, state: JournaledState, common: Common): Promise<EVM> {
  const getBlock = async (number: number) => {
    const hash = block.ancestors.hash(number) ?? new Uint8Array(32);
    return { hash: () => hash };
  };
  const blockchain = { getBlock, putBlock: async () => undefined, shallowCopy: () => blockchain };
  return createEVM({ common, stateManager: new JournaledStateManager(state), blockchain });
}

/** Marks the addresses that count as accessed before a transaction starts (EIP-2929, EIP-3651). */
function warm(evm: EVM, { from, to }: LocalCall, { coinbase }: ExecutingBlock, common: Common): void {
  if (!common.isActivatedEIP(2929)) return;
  const accounts = [...evm.precompiles.keys(), toHex(from), ...(to.length > 0 ? [toHex(to)] : [])];
  if (common.isActivatedEIP(3651)) accounts.push(toHex(coinbase));
  for (const account of accounts) evm.journal.addAlwaysWarmAddress(`0x${account.replace(/^0x/, "")}`, true);
}

function headerOf({ number, coinbase, timestamp, difficulty, parentHash, gasLimit }: ExecutingBlock) {
  return {
    number: BigInt(number),
    coinbase: coinbase.length === 20 ? new Address(coinbase) : createZeroAddress(),
    timestamp,
    difficulty,
    prevRandao: parentHash,
    gasLimit,
    baseFeePerGas: 0n,
    getBlobGasPrice: () => 1n,
  };
}

/** Accounts to remove, as lower-case hex; since EIP-6780 only those that the transaction created. */
function destroyedAccounts({ execResult }: EVMResult, common: Common): string[] {
  const { selfdestruct, createdAddresses } = execResult;
  const isLimited = common.isActivatedEIP(6780);
  const destroyed = [...(selfdestruct?.keys() ?? [])];
  return destroyed.filter((one) => !isLimited || createdAddresses?.has(one)).map((one) => one.slice(2).toLowerCase());
}

function outcomeOf(
  { execResult, createdAddress }: EVMResult,
  effects: Pick<TransactionOutcome, "deleted" | "gasUsed" | "refund" | "fee">,
): TransactionOutcome {
  const { exceptionError, returnValue, logs = [] } = execResult;
  const text = exceptionError?.error;
  const reverted = text === "revert";
  return {
    ...effects,
    status: text === undefined ? 1 : 0,
    logs: logs.map(([address, topics, data]) => ({ address, topics, data })),
    output: returnValue ?? EMPTY_BYTES,
    ...(text === undefined || reverted ? {} : { exception: { kind: exceptionKind(text), message: text } }),
    reverted,
    ...(createdAddress === undefined ? {} : { created: createdAddress.bytes }),
    calledContracts: new Set(),
  };
}
