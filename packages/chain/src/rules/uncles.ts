import { type NetworkConfig, UNCLE_GENERATION_LIMIT, UNCLE_LIST_LIMIT } from "@cambium/config";
import { bytesToBigint, equalBytes, toHex } from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import { type BlockHeader, type HeaderFields, unclesHash as hashUncles } from "@cambium/types";
import { BlockError, type HeaderFault } from "../faults.js";
import { forkDetectionData } from "./fork-detection.js";
import { gasLimitStepRule, minimumGasPriceStepRule } from "./free-steps.js";
import { difficulty, parentNumber } from "./header.js";
import { proofOfWork } from "./proof-of-work.js";
import { timestamp, timestampAfterParent } from "./timestamp.js";

/** A block's uncles and the branch they must descend from. */
export interface UncleContext {
  /** Number of the block. */
  number: number;
  uncles: readonly BlockHeader[];
  parent: Pick<HeaderFields, "number">;
  /** The branch that ends with the block's parent. */
  branch: AncestorReader;
}

/** Additional input of the rules about an uncle's header. */
export interface UncleHeaderContext extends UncleContext {
  network: NetworkConfig;
  /** Local time in seconds. */
  now: number;
}

/** `spec/02 §3.4`, C2-3a: the hash covers the full encodings, including proofs. */
export function unclesHash(header: Pick<HeaderFields, "unclesHash">, uncles: readonly BlockHeader[]): void {
  const actual = hashUncles(uncles);
  if (!equalBytes(header.unclesHash, actual)) {
    throw new BlockError({ code: "UNCLES_HASH", expected: header.unclesHash, actual });
  }
}

/**
 * Checks which uncles a block includes (`spec/02 §3.4`, C2-3b, except the rules about their headers). At most ten are
 * allowed, all distinct and from the six heights below the block. They must be children of ancestors, but neither
 * ancestors nor included before.
 */
export function uncleFamily({ number, uncles, parent, branch }: UncleContext): void {
  if (uncles.length === 0) return;
  if (uncles.length > UNCLE_LIST_LIMIT) {
    throw new BlockError({ code: "UNCLE_LIST_SIZE", maximum: UNCLE_LIST_LIMIT, actual: uncles.length });
  }
  const { ancestors, used } = relatives(number, parent.number, branch);
  const seen = new Set<string>();
  uncles.forEach((uncle, index) => {
    uncleNumber(uncle, number, index);
    const hash = toHex(uncle.hash);
    if (seen.has(hash)) throw new BlockError({ code: "UNCLE_DUPLICATE", index });
    seen.add(hash);
    if (ancestors.has(hash)) throw new BlockError({ code: "UNCLE_IS_ANCESTOR", index });
    if (used.has(hash)) throw new BlockError({ code: "UNCLE_ALREADY_USED", index });
    if (!ancestors.has(toHex(uncle.parentHash))) {
      throw new BlockError({ code: "UNCLE_PARENT", index, parentHash: uncle.parentHash });
    }
  });
}

/**
 * Checks the rules about an uncle's header (`spec/02 §3.4`, §10 Q8): a valid proof of work and all rules relative to
 * its parent, which is on this branch. Body, roots, extra data and minimum gas limit are not checked.
 */
export function uncleHeaders(context: UncleHeaderContext): void {
  const { branch, network, now } = context;
  context.uncles.forEach((uncle, index) => {
    const parent = parentOf(uncle, context);
    if (parent === undefined) throw new BlockError({ code: "UNCLE_PARENT", index, parentHash: uncle.parentHash });
    uncleGasUsed(uncle, index);
    asUncle(index, () => {
      proofOfWork(uncle, network);
      forkDetectionData(uncle, parent.number, branch, network);
      timestamp(uncle, network, now);
      minimumGasPriceStepRule(uncle, parent, network);
      parentNumber(uncle, parent);
      timestampAfterParent(uncle, parent, network);
      difficulty(uncle, parent, network);
      gasLimitStepRule(uncle, parent, network);
    });
  });
}

/** Whether a block may include uncles: {@link uncleFamily} and {@link uncleHeaders}. */
export function areAcceptableUncles(context: UncleHeaderContext): boolean {
  try {
    uncleFamily(context);
    uncleHeaders(context);
    return true;
  } catch (error) {
    if (error instanceof BlockError) return false;
    throw error;
  }
}

/** Finds the parent by hash, to distinguish a wrong number from a wrong parent. */
function parentOf(uncle: BlockHeader, { number, parent, branch }: UncleContext): BlockHeader | undefined {
  for (const n of citableParents(number, parent.number)) {
    const hash = branch.hash(n);
    if (hash !== undefined && equalBytes(hash, uncle.parentHash)) return branch.header(n);
  }
  return undefined;
}

/** Numbers of the ancestors whose children may be uncles, in descending order. */
function* citableParents(number: number, parentNumber: number): Iterable<number> {
  for (let n = parentNumber; n >= Math.max(0, number - UNCLE_GENERATION_LIMIT); n--) yield n;
}

/** Hashes of those ancestors and of their uncles. */
function relatives(number: number, parentNumber: number, branch: AncestorReader) {
  const ancestors = new Set<string>();
  const used = new Set<string>();
  for (const n of citableParents(number, parentNumber)) {
    const hash = branch.hash(n);
    if (hash !== undefined) ancestors.add(toHex(hash));
    for (const uncle of branch.uncles(n) ?? []) used.add(toHex(uncle.hash));
  }
  return { ancestors, used };
}

function uncleNumber(uncle: BlockHeader, number: number, index: number): void {
  const lowest = number - UNCLE_GENERATION_LIMIT + 1;
  const highest = number - 1;
  if (uncle.number < lowest || uncle.number > highest) {
    throw new BlockError({ code: "UNCLE_NUMBER", index, lowest, highest, actual: uncle.number });
  }
}

/** The reference compares with the low 64 bits of the gas limit as a signed number. */
function uncleGasUsed(uncle: BlockHeader, index: number): void {
  const gasLimit = BigInt.asIntN(64, bytesToBigint(uncle.gasLimit));
  if (BigInt(uncle.gasUsed) > gasLimit) {
    throw new BlockError({ code: "UNCLE_GAS_USED", index, gasLimit, actual: uncle.gasUsed });
  }
}

/** Runs a header rule on an uncle; its fault becomes an `UNCLE_HEADER` fault. */
function asUncle(index: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    const rule = error.code as HeaderFault["code"];
    throw new BlockError({ code: "UNCLE_HEADER", index, rule, reason: error.message }, { cause: error });
  }
}
