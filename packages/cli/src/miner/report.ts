import { parentHeaderWork, TAG } from "@cambium/merged-mining";
import type { SubmissionMethod } from "@cambium/miner/client";
import { bigintToFixedBytes, fromQuantity, toHex } from "@cambium/primitives";
import { print } from "../output.js";
import type { Rehearsal, RehearsalReport } from "./rehearsal.js";

/** Milliseconds between two lines while a solution is searched. */
const INTERVAL = 5_000;
const HASHES = 2 ** 256;

/** Prints the events of a rehearsal, including that the difficulty is out of reach. */
export function printedReport(method: SubmissionMethod): RehearsalReport {
  const start = performance.now();
  let due = start + INTERVAL;
  let expected = 0;
  return {
    work({ blockHashForMergedMining, parentBlockHash, feesPaidToMiner, target }) {
      expected = HASHES / Number(fromQuantity(target) + 1n);
      print(`work ${blockHashForMergedMining} on ${parentBlockHash}, fees ${feesPaidToMiner} wei`);
      print(`  target ${target}, met by one of ${rounded(expected)} hashes on average`);
    },
    searching(attempts) {
      const now = performance.now();
      if (now < due) return;
      due = now + INTERVAL;
      const perSecond = (attempts * 1000) / (now - start);
      const wait = span(expected / perSecond);
      print(
        `  searching: ${rounded(attempts)} hashes, ${rounded(perSecond)} a second; a solution takes ${wait} on average`,
      );
    },
    solved({ header, ids, transactions }) {
      const coinbase = Buffer.from(transactions[0]!);
      print(
        `  solved: parent block ${toHex(bigintToFixedBytes(parentHeaderWork(header), 32))} with ${ids.length} transactions`,
      );
      print(`  coinbase of ${coinbase.length} bytes, tag at ${coinbase.lastIndexOf(TAG)}; submitting by ${method}`);
    },
  };
}

export function printOutcome({ answer, asExpected }: Rehearsal): void {
  const outcome =
    answer.kind === "accepted"
      ? `${answer.importResult} block ${answer.blockNumber} ${answer.blockHash}`
      : `rejected (${answer.code}): ${answer.message}`;
  print(`  ${outcome}${asExpected ? "" : "  <- unexpected answer"}`);
}

function rounded(count: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(count);
}

const UNITS: readonly (readonly [string, number])[] = [
  ["years", 365 * 86_400],
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
  ["seconds", 1],
];

function span(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? UNITS.at(-1)!;
  return `${rounded(seconds / length)} ${unit}`;
}
