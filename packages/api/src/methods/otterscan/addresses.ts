import { pendingRead } from "../../calls/pending-reads.js";
import { REPLAY_ERRORS } from "../../definition/error-groups.js";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../../definition/method.js";
import type { Deadline } from "../../limits/deadline.js";
import { requireState } from "../../lookups/block-lookup.js";
import type { AddressSearchRequest } from "../../otterscan/address-search.js";
import { type BlockSelector, blockSelector } from "../../params/block-selector.js";
import { ADDRESS } from "../../params/value-types.js";
import { orNull, resource, TRUTH } from "../../schemas/values.js";
import { COUNT, PAGE_SIZE } from "./page-params.js";

const BLOCK = blockSelector({ pending: true, hash: true, map: true, integer: true });
const LATEST: BlockSelector = { kind: "latest" };
const SEARCH_PARAMS = [
  required("address", ADDRESS),
  required("block", COUNT),
  required("pageSize", PAGE_SIZE),
] as const;
const SEARCH_FACTS = { result: resource("AddressPage"), isHeavy: true, errors: REPLAY_ERRORS, cost: "trace" } as const;

/** Methods for accounts. */
export const OTTERSCAN_ADDRESS_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "ots_hasCode",
    summary: "Whether an account has code",
    params: [required("address", ADDRESS), optional("block", BLOCK, LATEST)],
    result: TRUTH,
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: async ({ chain, pendingState }, [address, block], deadline) => {
      if (block.kind !== "pending" || pendingState === undefined) {
        return requireState(chain, block).getCodeSize(address) > 0;
      }
      return (await pendingRead(pendingState.getCode(address), deadline)).length > 0;
    },
  }),
  defineMethod({
    ...SEARCH_FACTS,
    name: "ots_searchTransactionsBefore",
    summary:
      "Transactions in which an account takes part, in calls too, before a block; 0: from the best block on. All of the last block are returned",
    params: SEARCH_PARAMS,
    handler: (parts, [address, number, pageSize], deadline) =>
      search(parts, { address, number, pageSize, direction: "before" }, deadline),
  }),
  defineMethod({
    ...SEARCH_FACTS,
    name: "ots_searchTransactionsAfter",
    summary:
      "Transactions in which an account takes part, in calls too, after a block, from new to old; 0: from genesis on. All of the last block are returned",
    params: SEARCH_PARAMS,
    handler: (parts, [address, number, pageSize], deadline) =>
      search(parts, { address, number, pageSize, direction: "after" }, deadline),
  }),
  defineMethod({
    name: "ots_getContractCreator",
    summary:
      "The account that created a contract, and the transaction; null if it has no code, or has it without a transaction",
    params: [required("address", ADDRESS)],
    result: orNull(resource("ContractCreator")),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: ({ heavy }, [address], deadline) => heavy.run("contractCreator", address, deadline),
  }),
];

function search(
  { chain, heavy }: MethodParts,
  request: Omit<AddressSearchRequest, "headHash" | "time">,
  deadline: Deadline,
) {
  const { hash: headHash } = chain.best();
  return heavy.run("addressPage", { ...request, headHash, time: deadline.remaining }, deadline);
}
