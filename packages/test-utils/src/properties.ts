import fc from "fast-check";
import { runs } from "./depth.js";
import { SEED } from "./seed.js";

fc.configureGlobal({ seed: SEED, numRuns: runs(100) });

/** fast-check with the seed and the depth of this run. A property with a number of its own takes it through `runs`. */
export { fc, runs };
