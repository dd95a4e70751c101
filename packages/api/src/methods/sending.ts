import { toData } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import { UNSIGNED_TRANSACTION, type UnsignedTransaction } from "../calls/transaction-request.js";
import { EXECUTION_ERRORS, SENDING_ERRORS } from "../definition/error-groups.js";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../definition/method.js";
import { invalidParams } from "../errors.js";
import { pendingTransactionObject } from "../objects/transaction.js";
import { ADDRESS, DATA, NUMBER } from "../params/value-types.js";
import { arrayOf, BYTES, BYTES_32, resource } from "../schemas/values.js";
import { awaitReceipt, DEFAULT_WAIT } from "../sending/receipt-waiting.js";
import { decodeTransaction, impersonateRequest, sendTransaction, signRequest } from "../sending/transaction-sending.js";
import { openWallet, unlockedKey } from "../sending/wallet.js";
import { messageHash, signature } from "../signing/messages.js";
import { TYPED_DATA, typedDataHash } from "../signing/typed-data.js";
import { withGas } from "./simulation.js";

const SIGN_TYPED_DATA = defineMethod({
  name: "eth_signTypedData_v4",
  summary: "Signs typed structured data (EIP-712), an object or its JSON text, with an unlocked account of the node",
  params: [required("account", ADDRESS), required("typedData", TYPED_DATA)],
  result: BYTES,
  example: "written",
  handler: (parts, [address, typedData]) => toData(signature(typedDataHash(typedData), unlockedKey(parts, address))),
});

/** Methods that send and sign (`spec/09 §7.7`). */
export const SENDING_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_sendRawTransaction",
    summary: "Submits a signed transaction",
    params: [required("transaction", DATA)],
    result: BYTES_32,
    errors: SENDING_ERRORS,
    cost: "send",
    example: "written",
    handler: (parts, [data]) => sendTransaction(parts, decodeTransaction(data)),
  }),
  defineMethod({
    name: "eth_sendRawTransactionSync",
    summary: "Submits a signed transaction and waits until it is mined, for up to two minutes (EIP-7966)",
    params: [required("transaction", DATA), optional("timeout", NUMBER, BigInt(DEFAULT_WAIT))],
    result: resource("Receipt"),
    isUntimed: true,
    errors: [...SENDING_ERRORS, "NOT_MINED_IN_TIME"],
    cost: "send",
    example: "written",
    handler: async (parts, [data, timeout], deadline) => {
      const transaction = decodeTransaction(data);
      await sendTransaction(parts, transaction);
      return awaitReceipt(parts, transaction, Number(timeout), deadline);
    },
  }),
  defineMethod({
    name: "eth_sendTransaction",
    summary: "Signs a transaction with an unlocked account of the node and submits it",
    params: [required("transaction", UNSIGNED_TRANSACTION)],
    result: BYTES_32,
    errors: [...SENDING_ERRORS, ...EXECUTION_ERRORS],
    cost: "send",
    example: "written",
    handler: async (parts, [request], deadline) => {
      const sign = signerOf(parts, request);
      return sendTransaction(parts, sign(await withGas(parts, request, deadline)));
    },
  }),
  defineMethod({
    name: "eth_signTransaction",
    summary: "Signs a transaction with an unlocked account of the node without submitting it",
    params: [required("transaction", UNSIGNED_TRANSACTION)],
    result: { type: "object", properties: { raw: BYTES, tx: resource("Transaction") } },
    errors: EXECUTION_ERRORS,
    example: "written",
    handler: async (parts, [request], deadline) => {
      const key = senderKey(parts, request);
      const transaction = signRequest(parts, await withGas(parts, request, deadline), key);
      return { raw: toData(transaction.encoded), tx: pendingTransactionObject(transaction) };
    },
  }),
  defineMethod({
    name: "eth_accounts",
    summary: "Accounts of the node's wallet, and those that are impersonated on a network for development",
    params: [],
    result: arrayOf(BYTES),
    handler: (parts) => accountsOf(parts),
  }),
  defineMethod({
    name: "eth_requestAccounts",
    summary: "Accounts of the node's wallet, which must be enabled (EIP-1102)",
    params: [],
    result: arrayOf(BYTES),
    example: "written",
    handler: (parts) => {
      openWallet(parts);
      return accountsOf(parts);
    },
  }),
  defineMethod({
    name: "eth_sign",
    summary: "Signs a message, prefixed with a fixed text, with an unlocked account of the node",
    params: [required("account", ADDRESS), required("message", DATA)],
    result: BYTES,
    example: "written",
    handler: (parts, [address, message]) => toData(signature(messageHash(message), unlockedKey(parts, address))),
  }),
  SIGN_TYPED_DATA,
  // The name in EIP-712 itself.
  { ...SIGN_TYPED_DATA, name: "eth_signTypedData", sameAs: SIGN_TYPED_DATA.name },
];

function accountsOf({ accounts, impersonation }: MethodParts): string[] {
  const all = [...(accounts?.addresses() ?? []), ...impersonation.addresses()].map(toData);
  return [...new Set(all)];
}

/**
 * Returns the signer of a request. If the account has a key, it signs, even if the account is impersonated. Throws
 * {@link RpcError} `INVALID_PARAMS` if it has no key and is not impersonated.
 */
function signerOf(parts: MethodParts, request: UnsignedTransaction): (filled: UnsignedTransaction) => Transaction {
  const { accounts, impersonation } = parts;
  if (impersonation.has(request.from) && accounts?.privateKey(request.from) === undefined) {
    return (filled) => impersonateRequest(parts, filled);
  }
  const key = senderKey(parts, request);
  return (filled) => signRequest(parts, filled, key);
}

function senderKey(parts: MethodParts, { from }: UnsignedTransaction): Uint8Array {
  const key = openWallet(parts).privateKey(from);
  if (key === undefined) throw invalidParams(`Could not find account for address: ${toData(from)}`);
  return key;
}
