import type { Connection, Readiness } from "../node/types.js";
import { grouped, short } from "./numbers.js";
import { duration } from "./time.js";

/** State of the node, in words. */
export interface Status {
  tone: "good" | "bad" | "plain" | "accent";
  title: string;
  detail?: string | undefined;
  /** Advice for the operator. */
  remedy?: string | undefined;
}

const PUBLIC_CHAINS = [30, 31];

/** The one status that every part of the page shows. `now` is in milliseconds. */
export function statusOf(
  { transport, readiness, problem, lastAnswer, chainId = 0 }: Connection,
  now = Date.now(),
): Status {
  if (transport === "needs key") return { tone: "bad", title: "API key needed" };
  if (transport === "offline") {
    const detail = lastAnswer === undefined ? undefined : `for ${duration((now - lastAnswer) / 1000)}`;
    return { tone: "bad", title: "Node does not answer", detail };
  }
  if (problem !== undefined) return { tone: "bad", title: "Node reports an error", detail: problem };
  if (transport === "connecting") return { tone: "plain", title: "Connecting" };
  if (readiness === undefined) {
    return { tone: "plain", title: "Status unknown", remedy: "Start the node with the module net to see its status." };
  }
  const { remedy, ...rest } = readiness;
  return { ...stateOf(rest, PUBLIC_CHAINS.includes(chainId)), remedy: remedy ?? undefined };
}

function stateOf(
  { state, reasons, block, target, blockAge, progress, blocksPerSecond, timeLeft }: Omit<Readiness, "remedy">,
  isPublic: boolean,
): Status {
  switch (state) {
    case "failed":
      return { tone: "bad", title: "The chain has stopped", detail: reasons[0] };
    case "starting":
      return { tone: "plain", title: "Starting" };
    case "snapshot":
      return { tone: "accent", title: "Downloading a snapshot" };
    case "no-writer":
      return { tone: "bad", title: "No contact with the writer", detail: reasons[0] };
    case "no-peers":
      return { tone: "bad", title: "No peers" };
    case "synchronising": {
      const speed = blocksPerSecond > 0 ? `${short(blocksPerSecond)} blocks/s` : undefined;
      const left = timeLeft === null ? undefined : `${roughly(timeLeft)} left`;
      const detail = [speed, left].filter((part) => part !== undefined).join(", ");
      return {
        tone: "accent",
        title: progress === null ? "Synchronising" : `Synchronising ${floored(progress)} %`,
        detail: detail || undefined,
      };
    }
    case "behind":
      return { tone: "accent", title: `${grouped(target - block)} blocks behind` };
    case "stalled":
      return { tone: "bad", title: `No new block for ${roughly(blockAge ?? 0)}` };
    case "alone":
      return isPublic
        ? { tone: "plain", title: "Runs without peers", detail: "receives no blocks" }
        : { tone: "good", title: "Local chain", detail: "needs no peers" };
    default:
      return { tone: "good", title: "Synchronised", detail: "follows the chain" };
  }
}

/** Never 100 before the end. */
function floored(percent: number): number {
  return percent < 99 ? Math.floor(percent) : Math.min(Math.floor(percent * 10) / 10, 99.9);
}

/** The largest unit only: an estimate, or a time that grows. */
function roughly(seconds: number): string {
  const [count, unit] = duration(seconds).split(" ");
  return `${count} ${unit}`;
}
