import type { SyncProgress } from "../interface.js";

/** One line for operators: phase, heights, speed, peers, time left. */
export function statusLine(progress: SyncProgress): string {
  const { phase, current, target, blocksPerSecond, peers, timeLeft } = progress;
  const parts = [`${PHASES[phase]}: block ${current}`];
  if (target > current) {
    const percent = Math.floor((current / target) * 1000) / 10;
    parts[0] += ` of ${target} (${percent.toFixed(1)} %)`;
    parts.push(`${blocksPerSecond.toFixed(blocksPerSecond < 10 ? 1 : 0)} blocks/s`);
  }
  parts.push(`${peers} ${peers === 1 ? "peer" : "peers"}`);
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
