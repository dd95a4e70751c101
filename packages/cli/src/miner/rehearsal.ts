import { randomBytes } from "node:crypto";
import { transactionId } from "@cambium/merged-mining";
import { mineParentBlock, type ParentBlock, randomTransaction, type SubmissionMethod } from "@cambium/miner/client";
import { fromHex, fromQuantity } from "@cambium/primitives";
import type { MiningClient, SubmissionAnswer, WorkAnswer } from "./mining-client.js";

/** Deliberate errors of a miner, to test how a node rejects them. */
export const FAULTS = ["wrong-tag", "stale-work", "bad-proof"] as const;
export type Fault = (typeof FAULTS)[number];

export interface RehearsalOptions {
  method: SubmissionMethod;
  /** Number of transactions in the parent block besides its coinbase. */
  otherTransactions: number;
  fault?: Fault;
}

/** A block template and the node's answer to its solution. */
export interface Rehearsal {
  work: WorkAnswer;
  answer: SubmissionAnswer;
  /** Whether the answer is the correct one for the fault. */
  asExpected: boolean;
}

/** Receiver of the events of a rehearsal. */
export interface RehearsalReport {
  work(work: WorkAnswer): void;
  /** Called often while a solution is searched. */
  searching(attempts: number): void;
  solved(block: ParentBlock): void;
}

/** Fetches a block template, mines it and submits the solution, with the requested fault. */
export async function rehearse(
  client: MiningClient,
  { method, otherTransactions, fault }: RehearsalOptions,
  signal: AbortSignal,
  report?: RehearsalReport,
): Promise<Rehearsal> {
  const work = await client.getWork();
  report?.work(work);
  const hash = fromHex(work.blockHashForMergedMining);
  const carried = fault === "wrong-tag" ? randomBytes(hash.length) : hash;
  const target = fromQuantity(work.target);
  const mine = () => mineParentBlock(carried, target, otherTransactions, signal, report?.searching);
  // Another miner's block is imported first, which makes this template stale.
  if (fault === "stale-work") await client.submit(method, await mine());
  const block = await mine();
  report?.solved(block);
  const answer = await client.submit(method, fault === "bad-proof" ? withForeignTransaction(block) : block);
  return { work, answer, asExpected: isExpected(answer, fault) };
}

/** Adds a transaction that the Merkle root in the header does not cover. */
function withForeignTransaction({ header, transactions, ids, siblings }: ParentBlock): ParentBlock {
  const foreign = randomTransaction();
  const id = transactionId(foreign);
  return { header, transactions: [...transactions, foreign], ids: [...ids, id], siblings: [...siblings, id] };
}

const SUBMISSION_REJECTED = -33000;

function isExpected(answer: SubmissionAnswer, fault: Fault | undefined): boolean {
  if (fault === "wrong-tag" || fault === "bad-proof") {
    return answer.kind === "rejected" && answer.code === SUBMISSION_REJECTED;
  }
  if (answer.kind === "rejected") return false;
  // Fork choice decides which of two siblings is the best block.
  return answer.importResult === "IMPORTED_BEST" || answer.importResult === "IMPORTED_NOT_BEST";
}
