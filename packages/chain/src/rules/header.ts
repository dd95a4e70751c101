import { MAX_EXTRA_DATA, type NetworkConfig } from "@cambium/config";
import type { HeaderFields } from "@cambium/types";
import { BlockError } from "../faults.js";
import { calcDifficulty } from "./difficulty.js";

/** `spec/02 §3.2`, C0: genesis is built in and never imported. */
export function notGenesis(header: Pick<HeaderFields, "number">): void {
  if (header.number === 0) throw new BlockError({ code: "GENESIS_NUMBER" });
}

/** `spec/02 §3.2`, C1-4. */
export function parentNumber(header: Pick<HeaderFields, "number">, parent: Pick<HeaderFields, "number">): void {
  const expected = parent.number + 1;
  if (header.number !== expected) throw new BlockError({ code: "PARENT_NUMBER", expected, actual: header.number });
}

/** `spec/02 §3.2`, C1-5. */
export function difficulty(
  header: Pick<HeaderFields, "number" | "timestamp" | "uncleCount" | "difficulty">,
  parent: Pick<HeaderFields, "timestamp" | "difficulty">,
  network: NetworkConfig,
): void {
  const expected = calcDifficulty(header, parent, network);
  const actual = header.difficulty ?? 0n;
  if (actual !== expected) throw new BlockError({ code: "DIFFICULTY", expected, actual });
}

/** `spec/02 §3.7`, C2-9. */
export function extraDataSize(header: Pick<HeaderFields, "extraData">): void {
  const actual = header.extraData.length;
  if (actual > MAX_EXTRA_DATA) throw new BlockError({ code: "EXTRA_DATA_SIZE", maximum: MAX_EXTRA_DATA, actual });
}
