import type { SyncProgress } from "../interface.js";
import { duration, peerCount, percent, rounded } from "../shared/figures.js";
import type { CatchUpSummary } from "./catch-up.js";

/** Returns one line for operators: phase, heights, speed, peers, time left. */
export function statusLine(progress: SyncProgress): string {
  const { phase, current, target, blocksPerSecond, mgasPerSecond, peers, timeLeft } = progress;
  const parts = [`${PHASES[phase]}: block ${current}`];
  if (target > current) {
    parts[0] += ` of ${target} (${percent(current, target)} %)`;
    parts.push(`${rounded(blocksPerSecond)} blocks/s`, `${rounded(mgasPerSecond)} Mgas/s`);
  }
  parts.push(peerCount(peers));
  if (timeLeft !== undefined && target > current) parts.push(`${duration(timeLeft)} left`);
  return parts.join(", ");
}

const PHASES: Record<SyncProgress["phase"], string> = {
  waiting: "Waiting for peers",
  "connection-point": "Looking for the common block",
  headers: "Getting headers",
  bodies: "Syncing",
  snapshot: "Getting a snapshot",
  following: "Following",
};

/** Returns the line at the end of a synchronisation. */
export function synchronisedLine(block: number, { blocks, seconds, ...speed }: CatchUpSummary): string {
  const rates = `${rounded(speed.blocksPerSecond)} blocks/s, ${rounded(speed.mgasPerSecond)} Mgas/s`;
  return `Synchronised: block ${block}, after ${blocks} blocks in ${duration(seconds)}, ${rates}`;
}
