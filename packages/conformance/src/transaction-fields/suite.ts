import { fromHex, toHex } from "@cambium/primitives";
import { Transaction, TypesError } from "@cambium/types";
import { z } from "zod";
import { failed } from "../comparison.js";
import { ConformanceError } from "../errors.js";
import type { CaseResult, VectorSuite } from "../interface.js";
import { parseLines, someFirstLine } from "../lines.js";

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
export const transactionFieldsSuite: VectorSuite = {
  name: "transaction-fields",

  async accepts(file) {
    if (!/\.jsonl$/.test(file.name)) return false;
    return someFirstLine(file, (line) => /"transaction"\s*:/.test(line) && /"valid"\s*:/.test(line));
  },

  async *run(files) {
    for (const file of files) {
      for await (const parsed of parseLines(file, parseCase)) {
        const name = `${file.name}:${parsed.line}`;
        yield "fault" in parsed ? failed(name, parsed.fault) : result(name, parsed.value);
      }
    }
  },
};

function parseCase(json: unknown): TransactionCase {
  const parsed = CASE.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new ConformanceError({ code: "MALFORMED", reason: `${path.join(".")}: ${message}` });
}

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
