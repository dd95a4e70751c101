import { duration, peerCount, percent, rounded } from "../shared/figures.js";
import type { SnapshotProgressReport, SnapshotStep } from "./progress.js";

/** Returns one line for operators about a snapshot or the history below it: step, amounts, speed, peers, time left. */
export function snapshotLine(progress: SnapshotProgressReport): string {
  const { step, block, done, total, perSecond, chunksPerSecond, peers, timeLeft, waitingFor } = progress;
  const parts = [STEPS[step]];
  if (block !== undefined) parts[0] += ` ${block}`;
  if (total > 0 && step === "state") {
    parts[0] += `: ${mebibytes(done)} of ${mebibytes(total)} MiB (${percent(done, total)} %)`;
    parts.push(`${rounded(chunksPerSecond)} chunks/s`);
  } else if (total > 0) {
    parts[0] += `: ${done} of ${total} (${percent(done, total)} %)`;
    parts.push(`${rounded(perSecond)}/s`);
  }
  parts.push(peerCount(peers));
  if (timeLeft !== undefined) parts.push(`${duration(timeLeft)} left`);
  if (waitingFor !== undefined) parts.push(`waiting: ${waitingFor}`);
  return parts.join(", ");
}

const STEPS: Record<SnapshotStep, string> = {
  idle: "No snapshot",
  choosing: "Looking for a snapshot",
  headers: "Getting a snapshot: headers below block",
  state: "Getting a snapshot: state after block",
  blocks: "Getting a snapshot: blocks below block",
  history: "Getting the blocks below block",
};

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
