import type { SyncProgress } from "../interface.js";
import type { SnapshotProgressReport, SnapshotStep } from "../snapshot/progress.js";
import type { CatchUpSummary } from "./catch-up.js";

/** One line for operators: phase, heights, speed, peers, time left. */
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

/** The line at the end of a synchronisation. */
export function synchronisedLine(block: number, { blocks, seconds, ...speed }: CatchUpSummary): string {
  const rates = `${rounded(speed.blocksPerSecond)} blocks/s, ${rounded(speed.mgasPerSecond)} Mgas/s`;
  return `Synchronised: block ${block}, after ${blocks} blocks in ${duration(seconds)}, ${rates}`;
}

/** The same for a snapshot and the history below it. */
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

function percent(part: number, whole: number): string {
  return (Math.floor((part / whole) * 1000) / 10).toFixed(1);
}

function rounded(speed: number): string {
  return speed.toFixed(speed < 10 ? 1 : 0);
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function peerCount(peers: number): string {
  return `${peers} ${peers === 1 ? "peer" : "peers"}`;
}

/** The two largest units that matter. */
function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${whole % 60} s`;
  return `${whole} s`;
}
