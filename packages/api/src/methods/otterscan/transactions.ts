import { toData } from "@cambium/primitives";
import { REPLAY_ERRORS } from "../../definition/error-groups.js";
import { defineMethod, type MethodDefinition, type MethodParts, required } from "../../definition/method.js";
import type { Deadline } from "../../limits/deadline.js";
import { minedTransaction } from "../../lookups/sender-nonce.js";
import type { CallTreeView } from "../../otterscan/call-tree.js";
import { ADDRESS, NUMBER, TRANSACTION_HASH } from "../../params/value-types.js";
import { arrayOf, BYTES, BYTES_32, orNull, resource } from "../../schemas/values.js";

/** Methods for transactions of the best chain. The result is null if the transaction is unknown or pending. */
export const OTTERSCAN_TRANSACTION_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "ots_traceTransaction",
    summary: "Calls, creations and self-destructs of a transaction, each before those inside it",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(arrayOf(resource("CallTreeEntry"))),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: (parts, [hash], deadline) => view(parts, hash, "calls", deadline),
  }),
  defineMethod({
    name: "ots_getInternalOperations",
    summary: "Transfers, creations and self-destructs inside a transaction, but for those that were reverted",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(arrayOf(resource("InternalOperation"))),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: (parts, [hash], deadline) => view(parts, hash, "operations", deadline),
  }),
  defineMethod({
    name: "ots_getTransactionError",
    summary: "Data with which a transaction was reverted; `0x` if it succeeded or failed for another reason",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(BYTES),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: (parts, [hash], deadline) => view(parts, hash, "error", deadline),
  }),
  defineMethod({
    name: "ots_getTransactionBySenderAndNonce",
    summary: "Hash of the transaction of the best chain that an account sent with a nonce",
    params: [required("sender", ADDRESS), required("nonce", NUMBER)],
    result: orNull(BYTES_32),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [sender, nonce]) => {
      const found = minedTransaction(chain, sender, nonce);
      return found === undefined ? null : toData(found.block.transactions[found.index]!.hash);
    },
  }),
];

function view({ chain, heavy }: MethodParts, hash: Uint8Array, what: CallTreeView, deadline: Deadline) {
  const found = chain.findTransaction(hash);
  if (found === undefined) return null;
  return heavy.run("callTree", { blockHash: found.header.hash, index: found.index, view: what }, deadline);
}
