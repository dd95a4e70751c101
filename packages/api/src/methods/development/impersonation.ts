import { UNSIGNED_TRANSACTION } from "../../calls/transaction-request.js";
import { EXECUTION_ERRORS, SENDING_ERRORS } from "../../definition/error-groups.js";
import { defineMethod, type MethodDefinition, required } from "../../definition/method.js";
import { invalidParams } from "../../errors.js";
import { ADDRESS, BOOLEAN } from "../../params/value-types.js";
import { BYTES_32 } from "../../schemas/values.js";
import { impersonateRequest, sendTransaction, signRequest } from "../../sending/transaction-sending.js";
import { withGas } from "../simulation.js";
import { DONE, underNames, WHETHER_DONE } from "./tool-names.js";

/** Methods by which the node sends transactions for accounts without their keys (`docs/local-network.md`). */
export const IMPERSONATION_METHODS: readonly MethodDefinition[] = [
  ...underNames(
    defineMethod({
      name: "hardhat_impersonateAccount",
      summary: "Lets `eth_sendTransaction` send for an account, a contract too, without its key",
      params: [required("address", ADDRESS)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ impersonation }, [address]) => {
        if (!impersonation.start(address)) throw invalidParams("Too many accounts are impersonated");
        return true;
      },
    }),
    "anvil_impersonateAccount",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_stopImpersonatingAccount",
      summary: "Ends the impersonation of an account; returns whether there was one",
      params: [required("address", ADDRESS)],
      needs: "localMiner",
      result: WHETHER_DONE,
      example: "written",
      handler: ({ impersonation }, [address]) => impersonation.stop(address),
    }),
    "anvil_stopImpersonatingAccount",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_autoImpersonateAccount",
      summary: "Whether every account without a key is impersonated",
      params: [required("enabled", BOOLEAN)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ impersonation }, [enabled]) => {
        impersonation.isForAll = enabled;
        return true;
      },
    }),
    "anvil_autoImpersonateAccount",
  ),
  defineMethod({
    name: "eth_sendUnsignedTransaction",
    summary: "Submits a transaction of any account, as if it were impersonated",
    params: [required("transaction", UNSIGNED_TRANSACTION)],
    needs: "localMiner",
    result: BYTES_32,
    errors: [...SENDING_ERRORS, ...EXECUTION_ERRORS],
    cost: "send",
    example: "written",
    handler: async (parts, [request], deadline) => {
      const key = parts.accounts?.privateKey(request.from);
      const filled = await withGas(parts, request, deadline);
      const signed = key === undefined ? impersonateRequest(parts, filled) : signRequest(parts, filled, key);
      return sendTransaction(parts, signed);
    },
  }),
];
