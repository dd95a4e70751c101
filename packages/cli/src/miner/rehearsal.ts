import { randomBytes } from "node:crypto";
import { transactionId } from "@cambium/merged-mining";
import { mineParentBlock, type ParentBlock, randomTransaction, type SubmissionMethod } from "@cambium/miner";
import { fromHex, fromQuantity } from "@cambium/primitives";
import type { MiningClient, SubmissionAnswer, WorkAnswer } from "./mining-client.js";

/** What a miner can get wrong, on purpose. */
export const FAULTS = ["wrong-tag", "stale-work", "bad-proof"] as const;
export type Fault = (typeof FAULTS)[number];

export interface RehearsalOptions {
  method: SubmissionMethod;
  /** Of the parent block, besides its coinbase. */
  otherTransactions: number;
  fault?: Fault;
}

/** One piece of work and what came of it. */
export interface Rehearsal {
  work: WorkAnswer;
  answer: SubmissionAnswer;
  /** Whether the node answered what it should. */
  asExpected: boolean;
}

/** Takes work, mines it and hands the solution in, with the fault that is asked for. */
export async function rehearse(
  client: MiningClient,
  { method, otherTransactions, fault }: RehearsalOptions,
  signal: AbortSignal,
): Promise<Rehearsal> {
  const work = await client.getWork();
  const hash = fromHex(work.blockHashForMergedMining);
  const carried = fault === "wrong-tag" ? randomBytes(hash.length) : hash;
  const mine = () => mineParentBlock(carried, fromQuantity(work.target), otherTransactions, signal);
  // Another miner's block comes first, so that this one's work is no longer on the best block.
  if (fault === "stale-work") await client.submit(method, await mine());
  const block = await mine();
  const answer = await client.submit(method, fault === "bad-proof" ? withForeignTransaction(block) : block);
  return { work, answer, asExpected: isExpected(answer, fault) };
}

/** The block with a transaction that its header knows nothing of. */
function withForeignTransaction({ header, transactions, ids, siblings }: ParentBlock): ParentBlock {
  const foreign = randomTransaction();
  const id = transactionId(foreign);
  return { header, transactions: [...transactions, foreign], ids: [...ids, id], siblings: [...siblings, id] };
}

const REFUSED = -33000;

function isExpected(answer: SubmissionAnswer, fault: Fault | undefined): boolean {
  if (fault === "wrong-tag" || fault === "bad-proof") return answer.kind === "refused" && answer.code === REFUSED;
  if (answer.kind === "refused") return false;
  // Which of two siblings stays the best one is for fork choice to say.
  return answer.importResult === "IMPORTED_BEST" || answer.importResult === "IMPORTED_NOT_BEST";
}
