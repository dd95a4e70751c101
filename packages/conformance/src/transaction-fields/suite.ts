import { fromHex, toHex } from "@cambium/primitives";
import { Transaction, TypesError } from "@cambium/types";
import { z } from "zod";
import { failed } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { lineSuite } from "../line-suite.js";

const hex = z.string().regex(/^([0-9a-f]{2})*$/);

// `test/vectors/transaction-fields/README.md`: a transaction, and what validation says of its fields.
const CASE = z.object({
  transaction: hex,
  valid: z.boolean(),
  hash: hex.optional(),
  sender: hex.nullable().optional(),
});

type TransactionCase = z.infer<typeof CASE>;

/** Decoding of single transactions, and the rule about their fields. */
export const transactionFieldsSuite = lineSuite("transaction-fields", ["transaction", "valid"], CASE, result);

function result(name: string, one: TransactionCase): CaseResult {
  try {
    const transaction = Transaction.decode(fromHex(one.transaction));
    const hash = toHex(transaction.hash);
    if (one.hash !== hash) return failed(name, `hash ${hash} instead of ${one.hash}`);
    transaction.verifyFields();
    const sender = transaction.sender === undefined ? null : toHex(transaction.sender);
    if (one.valid && sender !== one.sender) return failed(name, `sender ${sender} instead of ${one.sender}`);
  } catch (error) {
    if (!(error instanceof TypesError)) throw error;
    return one.valid ? failed(name, error.message) : { name, outcome: "passed" };
  }
  return one.valid ? { name, outcome: "passed" } : failed(name, "valid");
}
