import type { NetworkConfig, Rules } from "@cambium/config";
import type { AncestorReader, StateReader } from "@cambium/state";
import type { Block, BlockHeader } from "@cambium/types";
import type { ExecutionResults } from "../execution/block-executor.js";
import { executionEdges } from "./execution-edges.js";
import * as result from "./execution-result.js";
import { forkDetectionData } from "./fork-detection.js";
import { gasLimitStepRule, minimumGasPriceStepRule } from "./free-steps.js";
import { gasLimitMinimum } from "./gas-limit.js";
import { difficulty, extraDataSize, notGenesis, parentNumber } from "./header.js";
import { proofOfWork } from "./proof-of-work.js";
import { timestamp, timestampAfterParent } from "./timestamp.js";
import * as transactions from "./transactions.js";
import { uncleFamily, uncleHeaders, unclesHash } from "./uncles.js";

/** A rule of `spec/02 §3`, applied to its part of a context. Throws {@link BlockError} if it is violated. */
export interface Rule<Context> {
  /** Name of the rule's function. */
  readonly name: string;
  check(context: Context): void;
}

/** Input of the rules about a header alone. */
export interface HeaderContext {
  readonly header: BlockHeader;
  readonly network: NetworkConfig;
  /** Local time in seconds. */
  readonly now: number;
}

/** Input of the rules about a header with known parent. */
export interface ParentContext extends HeaderContext {
  readonly parent: BlockHeader;
}

/** Input of the rules about a block before its execution. */
export interface BlockContext extends ParentContext {
  readonly block: Block;
  /** Rules active at the block's height. */
  readonly rules: Rules;
  /** The branch that ends with the parent. */
  readonly branch: AncestorReader;
  readonly stateAtParent: StateReader;
}

/** Input of the rules after execution. */
export interface ExecutedContext {
  readonly header: BlockHeader;
  readonly rules: Rules;
  readonly execution: ExecutionResults;
  /** The receipts of the execution, encoded. */
  readonly encodedReceipts: readonly Uint8Array[];
  readonly stateRoot: Uint8Array;
}

/** The rules that an import runs, each list in order, up to the first violation. */
export interface ValidationProfile {
  readonly name: string;
  /** C0 and C1: rules that need the parent. */
  readonly parentRules: readonly Rule<BlockContext>[];
  /** C2: rules that need the whole block. */
  readonly blockRules: readonly Rule<BlockContext>[];
  /** X: rules about the results of execution. */
  readonly executionRules: readonly Rule<ExecutedContext>[];
}

const notGenesisRule: Rule<HeaderContext> = { name: "notGenesis", check: ({ header }) => notGenesis(header) };

const proofOfWorkRule: Rule<HeaderContext> = {
  name: "proofOfWork",
  check: ({ header, network }) => proofOfWork(header, network),
};

const timestampRule: Rule<HeaderContext> = {
  name: "timestamp",
  check: ({ header, network, now }) => timestamp(header, network, now),
};

const extraDataSizeRule: Rule<HeaderContext> = {
  name: "extraDataSize",
  check: ({ header }) => extraDataSize(header),
};

const gasLimitMinimumRule: Rule<HeaderContext> = {
  name: "gasLimitMinimum",
  check: ({ header }) => gasLimitMinimum(header),
};

const parentNumberRule: Rule<ParentContext> = {
  name: "parentNumber",
  check: ({ header, parent }) => parentNumber(header, parent),
};

const difficultyRule: Rule<ParentContext> = {
  name: "difficulty",
  check: ({ header, parent, network }) => difficulty(header, parent, network),
};

const minimumGasPrice: Rule<ParentContext> = {
  name: "minimumGasPriceStep",
  check: ({ header, parent, network }) => minimumGasPriceStepRule(header, parent, network),
};

const gasLimit: Rule<ParentContext> = {
  name: "gasLimitStep",
  check: ({ header, parent, network }) => gasLimitStepRule(header, parent, network),
};

/** H: rules on receipt of a header, before anything about its branch is known (`spec/02 §3.1`). */
export const headerRules: readonly Rule<HeaderContext>[] = [notGenesisRule, proofOfWorkRule, timestampRule];

/**
 * Rules for a header by itself and with its parent, cheapest first (`spec/07 §D.7`, 4). They contain only rules that
 * all blocks of the chain follow. A timestamp above that of the parent is required of relayed blocks only
 * (`spec/02 §10`, Q2).
 */
export const chainHeaderRules: readonly Rule<ParentContext>[] = [
  parentNumberRule,
  difficultyRule,
  gasLimit,
  gasLimitMinimumRule,
  minimumGasPrice,
  extraDataSizeRule,
  ...headerRules,
];

/** R: rules for relaying a single block before it is connected; stricter than consensus (`spec/02 §10`, Q3). */
const relayRules: readonly Rule<ParentContext>[] = [
  notGenesisRule,
  extraDataSizeRule,
  minimumGasPrice,
  gasLimit,
  difficultyRule,
  parentNumberRule,
  timestampRule,
  {
    name: "timestampAfterParent",
    check: ({ header, parent, network }) => timestampAfterParent(header, parent, network),
  },
];

/** Rules that a header must satisfy before its block is relayed. */
export interface RelayProfile {
  /** Rules about the header alone. */
  readonly headerRules: readonly Rule<HeaderContext>[];
  /** Rules that need the parent. */
  readonly childRules: readonly Rule<ParentContext>[];
}

/** Rules for relaying, the cheap timestamp check before the more expensive proof of work. */
export const relayProfile: RelayProfile = { headerRules: [timestampRule, proofOfWorkRule], childRules: relayRules };

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
  notGenesisRule,
  transactionFields,
  transactionNonces,
  minimumGasPrice,
  parentNumberRule,
  difficultyRule,
  gasLimit,
];

/** C2-3b without the rules about the uncles' headers. */
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
  proofOfWorkRule,
  { name: "rewardTransactionLast", check: ({ block }) => transactions.rewardTransactionLast(block.transactions) },
  timestampRule,
  gasLimitMinimumRule,
  extraDataSizeRule,
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
    check: ({ header, execution, encodedReceipts, rules }) =>
      result.receiptsRoot(header, execution, encodedReceipts, rules),
  },
  { name: "logsBloom", check: ({ header, execution }) => result.logsBloom(header, execution.logsBloom) },
  { name: "gasUsed", check: ({ header, execution }) => result.gasUsed(header, execution.gasUsed) },
  { name: "paidFees", check: ({ header, execution }) => result.paidFees(header, execution.paidFees) },
];

/** All consensus rules, as a node imports blocks. */
export const consensusProfile: ValidationProfile = { name: "consensus", parentRules, blockRules, executionRules };

/**
 * Rules for execution and fork choice without mining, for handcrafted chains such as test scenarios. Keeps the rules
 * about state and drops those that tie a header to its parent and its miner.
 */
export const executionProfile: ValidationProfile = {
  name: "execution",
  parentRules: [transactionFields, transactionNonces],
  blockRules: [unclesHashRule, uncleFamilyRule, transactionsRoot],
  executionRules,
};

/** Runs rules in order. Throws the {@link BlockError} of the first violation. */
export function checkAll<Context>(rules: readonly Rule<Context>[], context: Context): void {
  for (const rule of rules) rule.check(context);
}
