import { counter, DURATIONS, forEach, histogram } from "@cambium/primitives";

/** Stages of the import of a block, in order. */
const STAGES = ["decode", "validate", "execute", "state", "write"] as const;
type Stage = (typeof STAGES)[number];

const STAGE_TIME = forEach(STAGES, (stage) =>
  histogram("cambium_block_import_stage_seconds", "Time of a stage of a block's import", DURATIONS, { stage }),
);
const IMPORTS = forEach(["imported-best", "imported-side", "already-known", "missing-parent", "invalid"], (result) =>
  counter("cambium_block_imports_total", "Blocks offered for import, by result", { result }),
);
export const IMPORT_TIME = histogram(
  "cambium_block_import_seconds",
  "Time from the turn of a block to its result, with the write",
  DURATIONS,
);
export const EXECUTED_GAS = counter("cambium_block_execution_gas_total", "Gas used by executed blocks");
export const GAS_RATE = histogram(
  "cambium_block_execution_gas_per_second",
  "Gas used by a block divided by the time of its execution; blocks without gas are left out",
  [1e6, 2.5e6, 5e6, 1e7, 2e7, 4e7, 6e7, 8e7, 1.2e8, 1.6e8, 2.5e8, 4e8, 8e8],
);
export const REORGANISATION_DEPTH = histogram(
  "cambium_reorganisation_depth_blocks",
  "Blocks that left the best chain at a reorganisation",
  [1, 2, 3, 4, 5, 6, 8, 12, 20, 50, 100, 500],
);

/** Notes that a stage took from `start`, in milliseconds of `performance.now()`, until now. Returns now. */
export function measureStage(stage: Stage, start: number): number {
  const end = performance.now();
  STAGE_TIME[stage].observe((end - start) / 1_000);
  return end;
}

/** Notes the result of an import. */
export function countImport(result: keyof typeof IMPORTS): void {
  IMPORTS[result].add();
}
