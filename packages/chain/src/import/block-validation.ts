import type { Branch } from "@cambium/chain-store";
import { type NetworkConfig, rulesAt } from "@cambium/config";
import type { Evm } from "@cambium/evm";
import { JournaledState, type KeyedState, KeyedStateView } from "@cambium/state";
import { type Block, type BlockHeader, encodeReceipt, type Receipt, TypesError } from "@cambium/types";
import { type ExecutionResults, executeBlock } from "../execution/block-executor.js";
import { BlockError } from "../faults.js";
import { type BlockContext, checkAll, type ValidationProfile } from "../rules/validation.js";
import type { KnownExecution } from "./known-execution.js";
import { EXECUTED_GAS, GAS_RATE, measureStage } from "./measurements.js";

/** Dependencies of block validation, shared by all blocks of a chain. */
export interface ValidationParts {
  network: NetworkConfig;
  evm: Evm;
  profile: ValidationProfile;
  /** Local time in seconds. */
  now: () => number;
}

/** A block whose parent is stored, with the inputs of its execution. */
export interface ConnectedBlock {
  block: Block;
  parent: BlockHeader;
  stateAtParent: KeyedState;
  /** The branch that ends with the parent. */
  branch: Branch;
  /** Undefined if the block must be executed. */
  known?: KnownExecution | undefined;
}

/** Results of a valid block. */
export interface BlockResults {
  receipts: readonly Receipt[];
  /** The same, encoded: both their root and the database need that. */
  encodedReceipts: readonly Uint8Array[];
  stateRoot: Uint8Array;
  /** The state after it, which is not stored. */
  state: KeyedState;
}

/**
 * Validates a block whose parent is stored: runs every rule, executes it unless the results are known, and compares the
 * results (`spec/02 §5.2`). Throws {@link BlockError} if the block is invalid; nothing of it is stored.
 */
export function validateBlock(connected: ConnectedBlock, parts: ValidationParts): BlockResults {
  return executed(validated(connected, parts), connected, parts);
}

/** A block that passed the rules that need no execution. */
interface Validation {
  context: BlockContext;
  /**
   * State after the parent, which the execution changes. The rules have already read the values that the execution
   * reads first.
   */
  state: JournaledState;
  /** See `measureStage`. */
  end: number;
}

function validated(connected: ConnectedBlock, { network, profile, now }: ValidationParts): Validation {
  const { block, parent, branch } = connected;
  const { header } = block;
  const rules = rulesAt(network, header.number);
  const state = workingState(connected);
  const context = { block, header, parent, rules, branch, stateAtParent: state, network, now: now() };
  const start = performance.now();
  checkBeforeExecution(context, profile);
  return { context, state, end: measureStage("validate", start) };
}

function workingState({ stateAtParent }: ConnectedBlock): JournaledState {
  return new JournaledState(new KeyedStateView(stateAtParent));
}

function executed(
  { context, state, end }: Validation,
  connected: ConnectedBlock,
  parts: ValidationParts,
): BlockResults {
  const { block, branch, known, stateAtParent } = connected;
  const { network, evm, profile } = parts;
  if (known !== undefined) {
    const results = compared(known, stateAfter(known, stateAtParent), context, profile);
    measureStage("state", end);
    return results;
  }
  const execution = executeBlock({ block, state, evm, network, ancestors: branch });
  return measured(execution, state, end, context, profile);
}

/** The results of an execution, after comparison with the header. */
function measured(
  execution: ExecutionResults,
  working: JournaledState,
  start: number,
  context: BlockContext,
  profile: ValidationProfile,
): BlockResults {
  const end = measureStage("execute", start);
  measureGas(execution.gasUsed, end - start);
  const results = compared(execution, working.commit().state, context, profile);
  measureStage("state", end);
  return results;
}

function measureGas(gas: number, milliseconds: number): void {
  if (gas === 0 || milliseconds === 0) return;
  EXECUTED_GAS.add(gas);
  GAS_RATE.observe((gas * 1_000) / milliseconds);
}

function stateAfter({ before, after, changes }: KnownExecution, stateAtParent: KeyedState): KeyedState {
  return before === stateAtParent ? after : stateAtParent.after(changes);
}

/** The results, after comparison with the header. */
function compared(
  execution: ExecutionResults,
  state: KeyedState,
  { header, rules }: BlockContext,
  { executionRules }: ValidationProfile,
): BlockResults {
  const { receipts } = execution;
  const stateRoot = state.root;
  const encodedReceipts = receipts.map(encodeReceipt);
  checkAll(executionRules, { header, rules, execution, encodedReceipts, stateRoot });
  return { receipts, encodedReceipts, stateRoot, state };
}

function checkBeforeExecution(context: BlockContext, profile: ValidationProfile): void {
  try {
    checkAll(profile.parentRules, context);
    checkAll(profile.blockRules, context);
  } catch (error) {
    // Some malformed fields fail to decode only when a rule reads them.
    if (!(error instanceof TypesError)) throw error;
    throw new BlockError({ code: "DECODING", reason: error.message }, { cause: error });
  }
}
