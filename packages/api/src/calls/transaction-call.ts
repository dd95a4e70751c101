import type { Transaction } from "@cambium/types";
import { invalidParams } from "../errors.js";
import type { CallObject } from "./call-object.js";

/** The call that a signed transaction makes. Throws {@link RpcError} `INVALID_PARAMS` if its signature has no key. */
export function callOfTransaction({ sender, to, gasLimit, gasPrice, value, data }: Transaction): CallObject {
  if (sender === undefined) throw invalidParams("Invalid input: the signature of the transaction is invalid");
  return { from: sender, to, gas: gasLimit, gasPrice, value, data };
}
