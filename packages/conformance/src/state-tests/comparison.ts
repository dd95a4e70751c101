import { EMPTY_KECCAK, fromHex, keccak256, toData, toQuantity } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { encodeReceipt, type Log, uniteBlooms } from "@cambium/types";
import type { ActualResult } from "../block-execution.js";
import type { ActualRun } from "./execution.js";
import type { StateTestPostAccount, StateTestResult, StateTestRun } from "./format.js";

const NO_BLOOM = toData(new Uint8Array(256));

/** All differences between a run and its expectations; empty if there are none. */
export function compareRun(run: StateTestRun, actual: ActualRun): string[] {
  const differences: string[] = [];
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (got !== wanted) differences.push(`${what} ${shorten(got)}, expected ${shorten(wanted)}`);
  };
  run.results.forEach((expected, i) => {
    compareResult(expected, actual.results[i]!, (what, got, wanted) => expect(`tx ${i} ${what}`, got, wanted));
  });
  expect("gasUsed", toQuantity(actual.gasUsed), run.gasUsed);
  expect("paidFees", toQuantity(actual.paidFees), run.paidFees);
  expect("receiptsRoot", toData(actual.receiptsRoot), run.receiptsRoot);
  const blooms = actual.results.flatMap((result) => ("outcome" in result ? [result.receipt.logsBloom] : []));
  expect("logsBloom", toData(uniteBlooms(blooms)), run.logsBloom ?? NO_BLOOM);
  expect("postRoot", toData(actual.postRoot), run.postRoot);
  if (toData(actual.postRoot) !== run.postRoot) comparePost(run.post, actual.state, expect);
  return differences;
}

type Expect = (what: string, got: unknown, wanted: unknown) => void;

function shorten(value: unknown): string {
  const text = String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function compareResult(expected: StateTestResult, actual: ActualResult, expect: Expect): void {
  if (expected.rejected !== undefined || !("outcome" in actual)) {
    const wanted = expected.rejected === undefined ? "accepted" : "rejected";
    expect("acceptance", "outcome" in actual ? "accepted" : "rejected", wanted);
    if (!("outcome" in actual) && wanted === "accepted") expect("reason", actual.rejected, undefined);
    return;
  }
  const { outcome, receipt, transaction } = actual;
  expect("status", outcome.status, expected.status);
  expect("gasUsed", toQuantity(outcome.gasUsed), expected.gasUsed);
  expect("cumulativeGas", toQuantity(receipt.cumulativeGas), expected.cumulativeGas);
  expect("hash", toData(transaction.hash), expected.hash);
  expect("sender", transaction.sender && toData(transaction.sender), expected.sender);
  expect("created", outcome.created && toData(outcome.created), expected.created);
  expect("refund", toQuantity(outcome.refund), expected.refund ?? "0x0");
  expect("paidFees", toQuantity(outcome.fee), expected.paidFees);
  expect("exception", outcome.exception?.kind, expected.exception);
  expect("reverted", outcome.reverted, expected.reverted ?? false);
  expect("logs", renderLogs(outcome.logs), JSON.stringify(expected.logs ?? []));
  compareOutput(expected, outcome.output, expect);
  const encoded = encodeReceipt(receipt);
  if (expected.receipt !== undefined) expect("receipt", toData(encoded), expected.receipt);
  else expect("receiptHash", toData(keccak256(encoded)), expected.receiptHash);
}

function renderLogs(logs: readonly Log[]): string {
  return JSON.stringify(
    logs.map((log) => ({ address: toData(log.address), topics: log.topics.map(toData), data: toData(log.data) })),
  );
}

function compareOutput(expected: StateTestResult, output: Uint8Array | null, expect: Expect): void {
  if (expected.outputHash === undefined) expect("output", output && toData(output), expected.output);
  else expect("outputHash", output && toData(keccak256(output)), expected.outputHash);
}

function comparePost(post: Record<string, StateTestPostAccount | null>, state: JournaledState, expect: Expect): void {
  for (const [hex, account] of Object.entries(post)) {
    const address = fromHex(hex);
    expect(`${hex} exists`, state.exists(address), account !== null);
    if (account === null || !state.exists(address)) continue;
    expect(`${hex} nonce`, toQuantity(state.getNonce(address)), account.nonce);
    expect(`${hex} balance`, toQuantity(state.getBalance(address)), account.balance);
    expect(`${hex} contract`, state.isContract(address), account.contract ?? false);
    const code = state.getCode(address);
    expect(
      `${hex} code`,
      toData(code.length === 0 ? EMPTY_KECCAK : keccak256(code)),
      account.codeHash ?? toData(EMPTY_KECCAK),
    );
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      const stored = state.getStorageBytes(address, fromHex(slot));
      expect(`${hex} slot ${slot}`, stored === undefined ? null : toData(stored), value);
    }
  }
}
