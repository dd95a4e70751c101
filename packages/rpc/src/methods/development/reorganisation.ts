import type { ForkConfig } from "@cambium/config";
import { Transaction } from "@cambium/types";
import { UNSIGNED_TRANSACTION, type UnsignedTransaction } from "../../calls/transaction-request.js";
import { decodeTransaction, impersonateRequest, signRequest } from "../../calls/transaction-sending.js";
import { invalidParams } from "../../errors.js";
import { mining } from "../../mining-answers.js";
import { defineMethod, type MethodDefinition, optional, type RpcModules, required } from "../../requests/method.js";
import type { ParamType } from "../../requests/param-type.js";
import { DATA, NUMBER, objectOf } from "../../requests/value-types.js";
import { NULL } from "../result-schemas.js";
import { DONE, underNames } from "./tool-names.js";

/** Most blocks that a call removes, and transactions that it puts into the blocks instead of them. */
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

function signed(modules: RpcModules, request: Transaction | UnsignedTransaction): Transaction {
  if (request instanceof Transaction) return request;
  const key = modules.accounts?.privateKey(request.from);
  if (key !== undefined) return signRequest(modules, request, key);
  if (modules.impersonation.has(request.from)) return impersonateRequest(modules, request);
  throw invalidParams("Could not find the account of a transaction");
}

/** A node cannot change what it forks; libraries send the members without values if there is nothing to fork. */
function requireSameFork({ jsonRpcUrl, blockNumber }: ForkingOptions, fork: ForkConfig | undefined): void {
  const isSource = jsonRpcUrl === undefined || jsonRpcUrl === null || jsonRpcUrl === fork?.source;
  const isAny = blockNumber === undefined || blockNumber === null;
  const isBlock = isAny || (fork !== undefined && NUMBER.parse(blockNumber) === BigInt(fork.number));
  if (isSource && isBlock) return;
  const own =
    fork === undefined ? "begins with its genesis block" : `is a fork of ${fork.source} after block ${fork.number}`;
  throw invalidParams(`The chain ${own}; for another fork start "node-cli dev --fork <url> --fork.block <number>"`);
}

interface ForkingOptions {
  jsonRpcUrl?: unknown;
  blockNumber?: unknown;
}

/** Methods that remove blocks of a local network. */
export const REORGANISATION_METHODS: readonly MethodDefinition[] = [
  ...underNames(
    defineMethod({
      name: "hardhat_reset",
      summary: "Reverts the chain to its first block, clears the transaction pool and what tools have set",
      params: [optional("options", { name: "RESET", schema: { type: "object" }, parse: objectOf }, {})],
      needs: "localMiner",
      isUntimed: true,
      result: DONE,
      handler: async ({ chain, localMiner, impersonation }, [options]) => {
        const { forking } = options as { forking?: unknown };
        requireSameFork(objectOf(forking ?? {}), chain.network.fork);
        await localMiner!.reset();
        impersonation.clear();
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
    handler: (modules, [depth, placed]) => {
      const blocks = Array.from({ length: depth }, (): Transaction[] => []);
      for (const { transaction, position } of placed) {
        const block = blocks[position];
        if (block === undefined) throw invalidParams(`Block ${position} is not one of the ${depth} new ones`);
        block.push(signed(modules, transaction));
      }
      return mining(() => modules.localMiner!.rollback(depth, blocks));
    },
  }),
];
