import { ChainError } from "@cambium/chain";
import type { ForkConfig } from "@cambium/config";
import { CambiumError, toData } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { UNSIGNED_TRANSACTION, type UnsignedTransaction } from "../../calls/transaction-request.js";
import { newInstanceId } from "../../definition/instance-id.js";
import {
  defineMethod,
  type ForkTarget,
  type MethodDefinition,
  type MethodParts,
  optional,
  required,
} from "../../definition/method.js";
import { echo, invalidParams, RpcError, serverError } from "../../errors.js";
import { mining } from "../../objects/mining-answers.js";
import type { ParamType } from "../../params/param-type.js";
import { DATA, NUMBER, objectOf } from "../../params/value-types.js";
import { NULL } from "../../schemas/values.js";
import { decodeTransaction, impersonateRequest, signRequest } from "../../sending/transaction-sending.js";
import { DONE, underNames } from "./tool-names.js";

/** Maximum number of blocks that a call removes, and of transactions in the blocks that replace them. */
const MAX_BLOCKS = 10_000;
const MAX_TRANSACTIONS = 10_000;

const DEPTH: ParamType<number> = {
  name: "DEPTH",
  schema: { ...NUMBER.schema, title: `QUANTITY or decimal, at most ${MAX_BLOCKS}` },
  parse(value) {
    const depth = NUMBER.parse(value);
    if (depth > MAX_BLOCKS) throw invalidParams(`Cannot remove ${depth} blocks, at most ${MAX_BLOCKS}`);
    return Number(depth);
  },
};

const BLOCK_NUMBER: ParamType<number> = {
  name: "BLOCK_NUMBER",
  schema: NUMBER.schema,
  parse(value) {
    const number = NUMBER.parse(value);
    if (number > Number.MAX_SAFE_INTEGER) throw invalidParams(`invalid block number ${echo(value)}`);
    return Number(number);
  },
};

/** Parameter of a reset: the block at which the chain then begins. */
const RESET: ParamType<{ forking?: unknown }> = {
  name: "RESET",
  schema: {
    type: "object",
    properties: {
      forking: {
        type: "object",
        properties: { jsonRpcUrl: { type: "string" }, blockNumber: NUMBER.schema },
      },
    },
  },
  parse: objectOf,
};

/** A transaction, signed or to be signed by the node, and the position of its block from 0. */
interface Placed {
  transaction: Transaction | UnsignedTransaction;
  position: number;
}

const PLACED: ParamType<readonly Placed[]> = {
  name: "PLACED_TRANSACTIONS",
  schema: { type: "array", items: { type: "array", minItems: 2, maxItems: 2 }, maxItems: MAX_TRANSACTIONS },
  parse(value) {
    if (!Array.isArray(value) || value.length > MAX_TRANSACTIONS) throw invalidParams("invalid list of transactions");
    return value.map((pair) => {
      if (!Array.isArray(pair) || pair.length !== 2) throw invalidParams("invalid transaction and block");
      const [given, block] = pair;
      const position = Number(NUMBER.parse(block));
      const transaction =
        typeof given === "string" ? decodeTransaction(DATA.parse(given)) : UNSIGNED_TRANSACTION.parse(objectOf(given));
      return { transaction, position };
    });
  },
};

/**
 * Returns the transactions of each new block. A missing nonce is the account's next one at that place of the new chain:
 * the transactions of the removed blocks do not count.
 */
function newBlocks(parts: MethodParts, depth: number, placed: readonly Placed[]): Transaction[][] {
  const misplaced = placed.find(({ position }) => position >= depth);
  if (misplaced !== undefined) {
    throw invalidParams(`Block ${misplaced.position} is not one of the ${depth} new ones`);
  }
  const blocks = Array.from({ length: depth }, (): Transaction[] => []);
  const nonceOf = nextNonces(parts, depth);
  for (const { transaction, position } of placed.toSorted((a, b) => a.position - b.position)) {
    blocks[position]!.push(signed(parts, transaction, nonceOf));
  }
  return blocks;
}

/** Completes the nonces of requests, which count from the state below the last blocks. */
function nextNonces({ chain }: MethodParts, depth: number): (request: UnsignedTransaction) => bigint {
  const parent = chain.hashByNumber(chain.best().header.number - depth);
  const state = parent === undefined ? undefined : chain.stateAfter(parent);
  const next = new Map<string, bigint>();
  return ({ from, nonce: given }) => {
    const key = toData(from);
    const nonce = given ?? next.get(key) ?? state?.getNonce(from) ?? 0n;
    next.set(key, nonce + 1n);
    return nonce;
  };
}

function signed(
  parts: MethodParts,
  given: Transaction | UnsignedTransaction,
  nonceOf: (request: UnsignedTransaction) => bigint,
): Transaction {
  if (given instanceof Transaction) return given;
  const request = { ...given, nonce: nonceOf(given) };
  const key = parts.accounts?.privateKey(request.from);
  if (key !== undefined) return signRequest(parts, request, key);
  if (parts.impersonation.has(request.from)) return impersonateRequest(parts, request);
  throw invalidParams("Could not find the account of a transaction");
}

/**
 * Returns the target of `hardhat_reset`: "present" for the node's own chain from its first block on, undefined for a
 * local chain that is no fork. Libraries also send members without values.
 */
function wantedChain(forking: unknown, fork: ForkConfig | undefined): ForkTarget | undefined | "present" {
  if (forking === undefined || forking === null) return fork === undefined ? "present" : undefined;
  const { jsonRpcUrl, blockNumber } = objectOf(forking);
  const hasUrl = jsonRpcUrl !== undefined && jsonRpcUrl !== null;
  const hasNumber = blockNumber !== undefined && blockNumber !== null;
  if (!hasUrl && !hasNumber) return "present";
  const source = hasUrl ? jsonRpcUrl : fork?.source;
  if (source === undefined) throw invalidParams("The chain is no fork: jsonRpcUrl says what to fork");
  if (typeof source !== "string" || (source !== fork?.source && !/^https?:\/\//.test(source))) {
    throw invalidParams(`invalid jsonRpcUrl ${echo(source)}, expected a URL that begins with http:// or https://`);
  }
  const number = hasNumber ? BLOCK_NUMBER.parse(blockNumber) : undefined;
  return source === fork?.source && number === fork.number ? "present" : { source, number };
}

async function replaceChain({ replaceChain: replace }: MethodParts, target: ForkTarget | undefined): Promise<void> {
  if (replace === undefined) {
    throw invalidParams('This node keeps its chain; only "node-cli dev" changes to a fork, or to another one');
  }
  try {
    await replace(target);
  } catch (error) {
    const isAnswer = error instanceof ChainError || error instanceof RpcError;
    if (isAnswer || !(error instanceof CambiumError)) throw error;
    throw serverError(error.message);
  }
}

/** Methods that remove blocks of a local network. */
export const REORGANISATION_METHODS: readonly MethodDefinition[] = [
  ...underNames(
    defineMethod({
      name: "hardhat_reset",
      summary:
        "Begins again, without blocks, pool and what tools have set: as a local chain, or as a fork of the `jsonRpcUrl` and `blockNumber` in `forking`",
      params: [optional("options", RESET, {} as { forking?: unknown })],
      needs: "localMiner",
      isUntimed: true,
      result: DONE,
      errors: ["SERVER_ERROR"],
      example: "written",
      handler: async (parts, [{ forking }]) => {
        const wanted = wantedChain(forking, parts.chain.network.fork);
        if (wanted === "present") {
          await parts.localMiner!.reset();
          parts.impersonation.clear();
          parts.instanceId = newInstanceId();
        } else {
          await replaceChain(parts, wanted);
        }
        return true;
      },
    }),
    "anvil_reset",
  ),
  defineMethod({
    name: "anvil_rollback",
    summary: "Removes the last blocks, one by default, and clears the transaction pool",
    params: [optional("depth", DEPTH, 1)],
    needs: "localMiner",
    isUntimed: true,
    result: NULL,
    example: "written",
    handler: ({ localMiner }, [depth]) => mining(() => localMiner!.rollback(depth)),
  }),
  defineMethod({
    name: "anvil_reorg",
    summary:
      "Replaces the last blocks by as many new ones with the given transactions, each at the position of its block",
    params: [required("depth", DEPTH), optional("transactions", PLACED, [])],
    needs: "localMiner",
    isUntimed: true,
    result: NULL,
    example: "written",
    handler: (parts, [depth, placed]) => {
      const blocks = newBlocks(parts, depth, placed);
      return mining(() => parts.localMiner!.rollback(depth, blocks));
    },
  }),
];
