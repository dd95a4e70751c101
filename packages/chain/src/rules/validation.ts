import type { NetworkConfig, Rules } from "@cambium/config";
import type { AncestorReader, StateReader } from "@cambium/state";
import type { Block, BlockHeader } from "@cambium/types";
import type { BlockExecution } from "../execution/block-executor.js";
import { executionEdges } from "./execution-edges.js";
import * as result from "./execution-result.js";
import { forkDetectionData } from "./fork-detection.js";
import { gasLimitMinimum, gasLimitStep } from "./gas-limit.js";
import { difficulty, extraDataSize, notGenesis, parentNumber } from "./header.js";
import { minimumGasPriceStep } from "./minimum-gas-price.js";
import { proofOfWork } from "./proof-of-work.js";
import { timestamp, timestampAfterParent } from "./timestamp.js";
import * as transactions from "./transactions.js";
import { uncleFamily, uncleHeaders, unclesHash } from "./uncles.js";

/** One rule of `spec/02 §3`, bound to the part of a context that it is about. Throws `BlockError`. */
export interface Rule<Context> {
  /** The rule function's name. */
  readonly name: string;
  check(context: Context): void;
}

/** What can be judged of a header alone. */
export interface HeaderContext {
  readonly header: BlockHeader;
  readonly network: NetworkConfig;
  /** Local time in seconds. */
  readonly now: number;
}

/** What can be judged of a header whose parent is known. */
export interface ParentContext extends HeaderContext {
  readonly parent: BlockHeader;
}

/** What can be judged of a block before it is executed. */
export interface BlockContext extends ParentContext {
  readonly block: Block;
  /** Of the block's height. */
  readonly rules: Rules;
  /** The branch that ends in the parent. */
  readonly branch: AncestorReader;
  readonly stateAtParent: StateReader;
}

/** What is compared after execution. */
export interface ExecutedContext {
  readonly header: BlockHeader;
  readonly rules: Rules;
  readonly execution: BlockExecution;
  readonly stateRoot: Uint8Array;
}

/** Which rules an import runs, each list in order. The first rule that fails ends it. */
export interface ValidationProfile {
  readonly name: string;
  /** C0 and C1: what needs the parent. */
  readonly parentRules: readonly Rule<BlockContext>[];
  /** C2: what needs the block. */
  readonly blockRules: readonly Rule<BlockContext>[];
  /** X: what the header claims about execution. */
  readonly executionRules: readonly Rule<ExecutedContext>[];
}

/** H: on receipt of a header, before anything else is known (`spec/02 §3.1`). */
export const headerRules: readonly Rule<HeaderContext>[] = [
  { name: "notGenesis", check: ({ header }) => notGenesis(header) },
  { name: "proofOfWork", check: ({ header, network }) => proofOfWork(header, network) },
  { name: "timestamp", check: ({ header, network, now }) => timestamp(header, network, now) },
];

/** R: whether a lone block is worth relaying before it is connected; stricter than consensus (`spec/02 §10`, Q3). */
export const relayRules: readonly Rule<ParentContext>[] = [
  { name: "notGenesis", check: ({ header }) => notGenesis(header) },
  { name: "extraDataSize", check: ({ header }) => extraDataSize(header) },
  { name: "minimumGasPriceStep", check: ({ header, parent }) => minimumGasPriceStep(header, parent) },
  { name: "gasLimitStep", check: ({ header, parent }) => gasLimitStep(header, parent) },
  { name: "difficulty", check: ({ header, parent, network }) => difficulty(header, parent, network) },
  { name: "parentNumber", check: ({ header, parent }) => parentNumber(header, parent) },
  { name: "timestamp", check: ({ header, network, now }) => timestamp(header, network, now) },
  {
    name: "timestampAfterParent",
    check: ({ header, parent, network }) => timestampAfterParent(header, parent, network),
  },
];

const transactionNonces: Rule<BlockContext> = {
  name: "transactionNonces",
  check: ({ block, stateAtParent }) => transactions.transactionNonces(block.transactions, stateAtParent),
};

const transactionFields: Rule<BlockContext> = {
  name: "transactionFields",
  check: ({ block }) => transactions.transactionFields(block.transactions),
};

const transactionsRoot: Rule<BlockContext> = {
  name: "transactionsRoot",
  check: ({ header, block, rules }) => transactions.transactionsRoot(header, block.transactionsRoot(rules)),
};

/** C0 and C1. */
export const parentRules: readonly Rule<BlockContext>[] = [
  { name: "notGenesis", check: ({ header }) => notGenesis(header) },
  transactionFields,
  transactionNonces,
  { name: "minimumGasPriceStep", check: ({ header, parent }) => minimumGasPriceStep(header, parent) },
  { name: "parentNumber", check: ({ header, parent }) => parentNumber(header, parent) },
  { name: "difficulty", check: ({ header, parent, network }) => difficulty(header, parent, network) },
  { name: "gasLimitStep", check: ({ header, parent }) => gasLimitStep(header, parent) },
];

/** C2-3b without the rules about the uncles' own headers. */
const uncleFamilyRule: Rule<BlockContext> = {
  name: "uncleFamily",
  check: ({ header, block, parent, branch }) =>
    uncleFamily({ number: header.number, uncles: block.uncles, parent, branch }),
};

const unclesHashRule: Rule<BlockContext> = {
  name: "unclesHash",
  check: ({ header, block }) => unclesHash(header, block.uncles),
};

/** C2. */
export const blockRules: readonly Rule<BlockContext>[] = [
  {
    name: "transactionGasPriceMinimum",
    check: ({ header, block }) => transactions.transactionGasPriceMinimum(header, block.transactions),
  },
  {
    name: "transactionGasPriceCap",
    check: ({ header, block, rules }) => transactions.transactionGasPriceCap(header, block.transactions, rules),
  },
  unclesHashRule,
  uncleFamilyRule,
  {
    name: "uncleHeaders",
    check: ({ header, block, parent, branch, network, now }) =>
      uncleHeaders({ number: header.number, uncles: block.uncles, parent, branch, network, now }),
  },
  transactionsRoot,
  { name: "proofOfWork", check: ({ header, network }) => proofOfWork(header, network) },
  { name: "rewardTransactionLast", check: ({ block }) => transactions.rewardTransactionLast(block.transactions) },
  { name: "timestamp", check: ({ header, network, now }) => timestamp(header, network, now) },
  { name: "gasLimitMinimum", check: ({ header }) => gasLimitMinimum(header) },
  { name: "extraDataSize", check: ({ header }) => extraDataSize(header) },
  {
    name: "forkDetectionData",
    check: ({ header, parent, branch, network }) => forkDetectionData(header, parent.number, branch, network),
  },
  {
    name: "executionEdges",
    check: ({ header, block, rules }) => executionEdges(header, block.transactions.length, rules),
  },
];

/** X. */
export const executionRules: readonly Rule<ExecutedContext>[] = [
  { name: "stateRoot", check: ({ header, stateRoot, rules }) => result.stateRoot(header, stateRoot, rules) },
  {
    name: "receiptsRoot",
    check: ({ header, execution, rules }) => result.receiptsRoot(header, execution.receipts, rules),
  },
  { name: "logsBloom", check: ({ header, execution }) => result.logsBloom(header, execution.logsBloom) },
  { name: "gasUsed", check: ({ header, execution }) => result.gasUsed(header, execution.gasUsed) },
  { name: "paidFees", check: ({ header, execution }) => result.paidFees(header, execution.paidFees) },
];

/** Everything that makes a block valid: how a node imports. */
export const consensusProfile: ValidationProfile = { name: "consensus", parentRules, blockRules, executionRules };

/**
 * Execution and chain selection without mining: for chains whose blocks were made by hand, as test scenarios are. What
 * holds the chain's state together stays on; everything that ties a header to its parent and its miner is off.
 */
export const executionProfile: ValidationProfile = {
  name: "execution",
  parentRules: [transactionFields, transactionNonces],
  blockRules: [unclesHashRule, uncleFamilyRule, transactionsRoot],
  executionRules,
};

/** Runs rules in order. Throws the first failing rule's `BlockError`. */
export function checkAll<Context>(rules: readonly Rule<Context>[], context: Context): void {
  for (const rule of rules) rule.check(context);
}
