import { METHODS } from "@cambium/api";
import { fromHex } from "@cambium/primitives";
import { failed, pending } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { ADDED_METHODS, withRevertWords, withTypeNamed } from "./additions.js";
import { revertingWith } from "./code.js";
import { situationOf } from "./notes.js";
import { type Answer, inWorld, type RpcFault, type Situation } from "./world.js";

type Json = ReturnType<typeof JSON.parse>;

/** A request and its error response, from `validation.json`. */
export interface ValidationCase {
  method: string;
  params: Json[];
  /** `<detail>` in the message matches any text. */
  error: RpcFault;
  note?: string;
}

const SERVED: ReadonlySet<string> = new Set(METHODS.map(({ name }) => name));
const MINING: ReadonlySet<string> = new Set(
  METHODS.filter(({ needs }) => needs === "miner" || needs === "localMiner").map(({ name }) => name),
);
const METHOD_NOT_FOUND = -32601;
const REVERTED = -32015;

/** Sends each case's request to a separate node. */
export async function* runValidation(name: string, cases: readonly ValidationCase[]): AsyncGenerator<CaseResult> {
  for (const [i, one] of cases.entries()) {
    const { method, params, error } = one;
    const title = `${name}/${i + 1} ${method}`;
    if (!SERVED.has(method) && error.code !== METHOD_NOT_FOUND) yield pending(title, `rpc method ${method}`);
    else {
      const answer = await inWorld(situationFor(one), (world) => world.ask(method, params));
      const difference = differenceOf(method, answer, withTypeNamed(withRevertWords(error), method, params));
      yield difference === undefined ? { name: title, outcome: "passed" } : failed(title, difference);
    }
  }
}

/**
 * Returns the situation of the note and of the expected error. For a revert, the called code reverts with the expected
 * data. For a mining method that does not exist, the node does not mine (`spec/09 §7.8`).
 */
function situationFor({ method, params, error, note }: ValidationCase): Situation {
  const situation = situationOf(note);
  if (error.code === METHOD_NOT_FOUND) return { ...situation, mining: !MINING.has(method) };
  const to = params[0]?.to;
  if (error.code !== REVERTED || typeof to !== "string") return situation;
  const code = revertingWith(fromHex(String(error.data ?? "0x")));
  return { ...situation, accounts: [{ address: fromHex(to), balance: 0n, code }] };
}

function differenceOf(method: string, { result, error }: Answer, expected: RpcFault): string | undefined {
  if (ADDED_METHODS.has(method) && expected.code === METHOD_NOT_FOUND) {
    return error?.code === METHOD_NOT_FOUND ? "the method does not exist" : undefined;
  }
  if (error === undefined) return `the answer is ${JSON.stringify(result)} instead of the error ${expected.code}`;
  const [start, rest] = expected.message.split("<detail>");
  const isOpen = rest !== undefined && error.message.startsWith(start!) && error.message.endsWith(rest);
  return firstDifference(isOpen ? { ...error, message: expected.message } : error, expected, "error");
}
