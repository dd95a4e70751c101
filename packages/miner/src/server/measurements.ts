import { counter, DURATIONS, histogram } from "@cambium/primitives";

export const BUILD_TIME = histogram("cambium_mining_template_seconds", "Time to build a block template", DURATIONS);
export const WORK_AGE = histogram(
  "cambium_mining_work_age_seconds",
  "Age of a block template when a solution of it is submitted",
  [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600],
);

const submissions = (result: string) =>
  counter("cambium_mining_submissions_total", "Solutions submitted by miners, by whether the block joined the chain", {
    result,
  });

export const ACCEPTED = submissions("accepted");
/** Counter of refused solutions: unknown work, invalid proof, too early after another one, or invalid block. */
export const REFUSED = submissions("refused");
