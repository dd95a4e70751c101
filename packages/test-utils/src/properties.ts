import fc from "fast-check";
import { runs } from "./depth.js";
import { SEED } from "./seed.js";

fc.configureGlobal({ seed: SEED, numRuns: runs(100) });

/** fast-check with the seed and depth of this run. A property with a special number of runs scales it with `runs`. */
export { fc, runs };
