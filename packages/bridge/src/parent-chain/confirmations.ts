import { combineNodes, looksLikeTransaction } from "@cambium/merged-mining";
import {
  type AbiArgument,
  type AbiArray,
  bytesToBigint,
  equalBytes,
  fromHex,
  reverseBytes,
  toHex,
} from "@cambium/primitives";
import { TextlessFailure } from "@cambium/state";
import { type Implementation, toInt32 } from "../abi/implementation.js";
import type { StoredParentBlock } from "../bitcoin/parent-chains.js";
import { BridgeError } from "../errors.js";
import { decodeItems } from "../model/codecs.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";
import { isSameBlock } from "./header-chain.js";
import { merkleRoot } from "./header-hash.js";

const METHOD = "getBtcTransactionConfirmations";
const MAX_DEPTH = 4320;
const MAX_BRANCH = 32;

const BASIC_GAS = 27_000;
const GAS_PER_BLOCK = 315;
const GAS_PER_HASH = 144;

const UNKNOWN_BLOCK = -1n;
const NOT_ON_BEST_CHAIN = -2n;
const INCONSISTENT = -3n;
const TOO_DEEP = -4n;
const WRONG_BRANCH = -5n;

/**
 * Block for which one transaction of the test network got a result although it is not stored (`spec/06b-1 §3.8`,
 * "consensus exception").
 */
const TEST_EXCEPTION = {
  executingBlock: 5148285,
  hash: fromHex("00000000e8e7b540df01a7067e020fd7e2026bf86289def2283a35120c1af379"),
  block: {
    work: 0xddeb5fbcd969312a77cn,
    height: 2817125,
    header: fromHex(
      "000000203b5d178405c4e6e7dc07d63d6de5db1342044791721654760c00000000000000796cf6743a036300b43fb3abe6703d04a7999751b6d5744f20327d1175320bd37b954e66ffff001d56dc11ce",
    ),
  },
} as const satisfies { executingBlock: number; hash: Uint8Array; block: StoredParentBlock };

export function coinbaseInformationCell(blockHash: Uint8Array): Uint8Array {
  return compoundCell("coinbaseInformation", toHex(blockHash));
}

function findBlock(session: BridgeSession, hash: Uint8Array): StoredParentBlock | undefined {
  const { network, context, blocks } = session;
  const { executingBlock, hash: exceptional, block } = TEST_EXCEPTION;
  if (network.parentChain === "test" && context.block.number === executingBlock && equalBytes(hash, exceptional)) {
    return block;
  }
  return blocks.get(hash);
}

function readableBlock(session: BridgeSession, hash: Uint8Array): StoredParentBlock | undefined {
  try {
    return findBlock(session, hash);
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: "bridge", reason: error.message });
  }
}

function depthOf(session: BridgeSession, block: StoredParentBlock): number {
  return Math.max(0, (session.blocks.head().height - block.height) | 0);
}

/**
 * Returns the gas without the data part (`spec/06a §3.3`). Opens the store. Throws {@link TextlessFailure} if the hash
 * is the address of a cell too short for a block: the deployed client reads past its end and does not catch the error.
 */
export function confirmationsGas(session: BridgeSession, args: readonly AbiArgument[]): number {
  const block = readableBlock(session, args[1] as Uint8Array);
  if (block === undefined) return BASIC_GAS;
  const depth = depthOf(session, block);
  if (depth > MAX_DEPTH) return BASIC_GAS;
  return BASIC_GAS + depth * GAS_PER_BLOCK + (args[3] as AbiArray).length * GAS_PER_HASH;
}

/**
 * Confirmations of a parent-chain transaction proven by its Merkle branch, or a negative error code
 * (`spec/06b-1 §3.8`).
 */
export const confirmations: Implementation = (session, args) => {
  const [transaction, blockHash] = args as readonly Uint8Array[];
  const branch = args[3] as AbiArray;
  const path = checkedPath(session, toInt32(args[2]!), branch.length);

  const block = findBlock(session, blockHash!);
  if (block === undefined) return UNKNOWN_BLOCK;
  const depth = depthOf(session, block);
  if (depth > MAX_DEPTH) return TOO_DEEP;
  const standing = session.blocks.atHeight(block.height);
  if (standing === "error") return INCONSISTENT;
  if (standing === undefined || !isSameBlock(standing, block)) return NOT_ON_BEST_CHAIN;

  const root = foldBranch(session, transaction!, branch, path);
  if (!equalBytes(root, merkleRoot(block.header)) && !isWitnessRoot(session, root, blockHash!)) return WRONG_BRANCH;
  return BigInt(session.blocks.head().height - block.height + 1);
};

function checkedPath(session: BridgeSession, path: number, hashes: number): number {
  if (hashes > MAX_BRANCH) session.fail(METHOD, "too many hashes");
  // The deployed client counts bits while the signed number is above 0, so a negative path has none.
  const significant = path > 0 ? 32 - Math.clz32(path) : 0;
  if (significant > hashes) session.fail(METHOD, "path longer than the branch");
  return path;
}

/** Computes the Merkle root. Bit i of the path is set if the branch's hash is on the left at level i. */
function foldBranch(session: BridgeSession, leaf: Uint8Array, branch: AbiArray, path: number): Uint8Array {
  let node = leaf;
  for (let level = 0; level < branch.length; level++) {
    const hash = branch.at(level) as Uint8Array;
    const onLeft = ((path >>> level) & 1) === 1;
    const left = onLeft ? hash : node;
    const right = onLeft ? node : hash;
    node = reverseBytes(combine(session, reverseBytes(left), reverseBytes(right)));
  }
  return node;
}

/** Fails if the two nodes could be a 64-byte transaction (`spec/06b-1 §3.9`, last paragraph). */
function combine(session: BridgeSession, left: Uint8Array, right: Uint8Array): Uint8Array {
  if (looksLikeTransaction(left, right)) session.fail(METHOD, "node could be a transaction");
  return combineNodes(left, right);
}

/** Whether `root` is the witness root registered with the block's coinbase (RSKIP-143). */
export function isWitnessRoot(session: BridgeSession, root: Uint8Array, blockHash: Uint8Array): boolean {
  if (!session.rules.rskip143) return false;
  const cell = session.storage.read(coinbaseInformationCell(blockHash));
  return (
    cell !== undefined && bytesToBigint(decodeItems(cell, 1, "coinbase information")[0]!.bytes) === bytesToBigint(root)
  );
}
