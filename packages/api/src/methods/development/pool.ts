import { toData } from "@cambium/primitives";
import { defineMethod, type MethodDefinition, type MethodParts, required } from "../../definition/method.js";
import { invalidParams } from "../../errors.js";
import { TRANSACTION_HASH } from "../../params/value-types.js";
import { BYTES_32, orNull, TRUTH } from "../../schemas/values.js";
import { DONE, underNames } from "./tool-names.js";

function drop({ pool }: MethodParts, hash: Uint8Array): boolean {
  const isPresent = pool.get(hash) !== undefined;
  if (isPresent) pool.evict([hash], "dropped");
  return isPresent;
}

/** Methods that remove transactions from the pool. */
export const POOL_EDITING_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "hardhat_dropTransaction",
    summary: "Removes a transaction from the pool; returns whether it was there. A mined one is an error",
    params: [required("hash", TRANSACTION_HASH)],
    needs: "localMiner",
    result: TRUTH,
    example: "written",
    handler: (parts, [hash]) => {
      if (parts.chain.findTransaction(hash) !== undefined) {
        throw invalidParams(`Transaction ${toData(hash)} cannot be dropped because it's already mined`);
      }
      return drop(parts, hash);
    },
  }),
  defineMethod({
    name: "anvil_dropTransaction",
    summary: "Removes a transaction from the pool; returns its hash if it was there",
    params: [required("hash", TRANSACTION_HASH)],
    needs: "localMiner",
    result: orNull(BYTES_32),
    example: "written",
    handler: (parts, [hash]) => (drop(parts, hash) ? toData(hash) : null),
  }),
  ...underNames(
    defineMethod({
      name: "hardhat_dropAllTransactions",
      summary: "Removes all transactions from the pool",
      params: [],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ pool }) => {
        pool.clear();
        return true;
      },
    }),
    "anvil_dropAllTransactions",
  ),
];
