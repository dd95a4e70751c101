import { type NetworkConfig, rulesAt } from "@cambium/config";
import type { Write } from "@cambium/database";
import type { Evm } from "@cambium/evm";
import { JournaledState, openState } from "@cambium/state";
import type { NodeCache, NodeReader } from "@cambium/trie";
import { type Block, type BlockHeader, type Receipt, TypesError } from "@cambium/types";
import { executeBlock } from "../execution/block-executor.js";
import { BlockError } from "../faults.js";
import { type BlockContext, checkAll, type ValidationProfile } from "../rules/validation.js";
import type { Branch } from "../store/branch.js";
import { TABLES } from "../store/tables.js";

/** What judging blocks takes, the same for all of a chain. */
export interface JudgeParts {
  network: NetworkConfig;
  evm: Evm;
  profile: ValidationProfile;
  nodes: NodeReader;
  nodeCache: NodeCache;
  /** Local time in seconds. */
  now: () => number;
}

/** A block whose parent is stored, with what its execution starts from. */
export interface ConnectedBlock {
  block: Block;
  parent: BlockHeader;
  /** Root of the state after the parent. */
  parentStateRoot: Uint8Array;
  /** Ends in the parent. */
  branch: Branch;
}

/** A valid block's results. */
export interface BlockResults {
  receipts: readonly Receipt[];
  stateRoot: Uint8Array;
  /** New nodes of the state trie. */
  nodeWrites: Write[];
}

/**
 * Runs every rule on a block whose parent is stored, executes it and compares (`spec/02 §5.2`). Nothing is kept of a
 * block that fails. Throws {@link BlockError}.
 */
export function judgeBlock(connected: ConnectedBlock, parts: JudgeParts): BlockResults {
  const { block, parent, parentStateRoot, branch } = connected;
  const { network, evm, profile, nodes, nodeCache } = parts;
  const { header } = block;
  const rules = rulesAt(network, header.number);
  const stateAtParent = openState(nodes, parentStateRoot, nodeCache);
  const context = { block, header, parent, rules, branch, stateAtParent, network, now: parts.now() };
  checkBeforeExecution(context, profile);
  const state = new JournaledState(stateAtParent);
  const execution = executeBlock({ block, state, evm, network, ancestors: branch });
  const { root: stateRoot, save } = state.commit();
  checkAll(profile.executionRules, { header, rules, execution, stateRoot });
  const nodeWrites: Write[] = [];
  save({ put: (hash, value) => nodeWrites.push({ table: TABLES.stateNodes, key: hash, value }) });
  return { receipts: execution.receipts, stateRoot, nodeWrites };
}

function checkBeforeExecution(context: BlockContext, profile: ValidationProfile): void {
  try {
    checkAll(profile.parentRules, context);
    checkAll(profile.blockRules, context);
  } catch (error) {
    // A field can be so wrong that reading it fails only when a rule looks at it.
    if (!(error instanceof TypesError)) throw error;
    throw new BlockError({ code: "DECODING", reason: error.message }, { cause: error });
  }
}
