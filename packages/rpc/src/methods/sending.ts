import { bigintToFixedBytes, concatBytes, keccak256, signHash, toData, utf8 } from "@cambium/primitives";
import { UNSIGNED_TRANSACTION } from "../calls/transaction-request.js";
import { decodeTransaction, sendTransaction, signRequest } from "../calls/transaction-sending.js";
import { invalidParams } from "../errors.js";
import { defineMethod, type MethodDefinition, type RpcModules, required } from "../requests/method.js";
import { ADDRESS, DATA } from "../requests/value-types.js";
import { arrayOf, BYTES, BYTES_32 } from "./result-schemas.js";

/** Methods that send and sign (`spec/09 §7.7`). */
export const SENDING_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_sendRawTransaction",
    summary: "Submits a signed transaction",
    params: [required("transaction", DATA)],
    result: BYTES_32,
    handler: (modules, [data]) => sendTransaction(modules, decodeTransaction(data)),
  }),
  defineMethod({
    name: "eth_sendTransaction",
    summary: "Signs a transaction with an unlocked account of the node and submits it",
    params: [required("transaction", UNSIGNED_TRANSACTION)],
    result: BYTES_32,
    handler: (modules, [request]) => {
      const key = walletOf(modules).privateKey(request.from);
      if (key === undefined) throw invalidParams(`Could not find account for address: ${toData(request.from)}`);
      return sendTransaction(modules, signRequest(modules, request, key));
    },
  }),
  defineMethod({
    name: "eth_accounts",
    summary: "Accounts of the node's wallet",
    params: [],
    result: arrayOf(BYTES),
    handler: ({ accounts }) => accounts?.addresses().map(toData) ?? [],
  }),
  defineMethod({
    name: "eth_sign",
    summary: "Signs a message, prefixed with a fixed text, with an unlocked account of the node",
    params: [required("account", ADDRESS), required("message", DATA)],
    result: BYTES,
    handler: (modules, [address, message]) => {
      const key = walletOf(modules).privateKey(address);
      if (key === undefined) throw invalidParams("Account not found");
      return toData(signMessage(message, key));
    },
  }),
];

function walletOf({ accounts }: RpcModules) {
  if (accounts === undefined) throw invalidParams("Local wallet is disabled in this node");
  return accounts;
}

/**
 * Signature r, s, v (65 bytes, v is 27 or 28) over the prefixed message; the prefix rules out signing a transaction.
 */
function signMessage(message: Uint8Array, key: Uint8Array): Uint8Array {
  const prefix = utf8(`\x19Ethereum Signed Message:\n${message.length}`);
  const { r, s, recovery } = signHash(keccak256(concatBytes(prefix, message)), key);
  return concatBytes(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32), Uint8Array.of(27 + recovery));
}
