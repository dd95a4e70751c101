import type { SubmittedBlock } from "@cambium/miner";
import { LimitedLines, toData } from "@cambium/primitives";
import type { Logger } from "pino";

const LIMIT = { lines: 20, window: 8_000 };

/** Returns a listener that logs miners' solutions. A refused one costs a miner its block, so it is a warning. */
export function reportSubmissions(logger: Logger): (outcome: SubmittedBlock | Error) => void {
  const lines = new LimitedLines(LIMIT, (count) => logger.warn({ solutions: count }, "More submitted work"));
  return (outcome) => {
    if (!lines.admit()) return;
    if (outcome instanceof Error) {
      logger.warn({ reason: outcome.message }, "Submitted work was refused");
      return;
    }
    const { result, number, hash } = outcome;
    const fields = { number, hash: toData(hash), result: result.kind };
    if (result.kind === "invalid") logger.warn({ ...fields, fault: result.fault.code }, "Submitted work is invalid");
    else logger.info(fields, "Submitted work was accepted");
  };
}
