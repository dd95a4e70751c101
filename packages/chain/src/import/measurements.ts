import { counter, DURATIONS, forEach, histogram } from "@cambium/primitives";

/** What the import of a block consists of, in order. */
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
/** `repeated`: an error, or anything but a valid block. */
export const SHARED_BLOCKS = forEach(["taken", "repeated"], (result) =>
  counter(
    "cambium_block_shared_executions_total",
    "Blocks with a parallel list that was given to another thread, by whether its results were taken or all was executed again",
    { result },
  ),
);
/** `incomplete`: the turn of the block came before, or it took too long. */
export const PREFETCHES = forEach(["complete", "incomplete", "failed"], (result) =>
  counter(
    "cambium_block_prefetches_total",
    "Queued blocks whose state was read ahead of the import, by whether all of it was read in time",
    { result },
  ),
);
export const PREFETCHED_KEYS = counter(
  "cambium_block_prefetched_keys_total",
  "Keys of the state that were read ahead for queued blocks",
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
