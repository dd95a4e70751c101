import { EXAMPLES, type Example } from "./examples.js";
import { WRITTEN_EXAMPLES } from "./written-examples.js";

/** Examples of a method: recorded ones, or one that is written down because the result differs from node to node. */
export function examplesOf(method: string): readonly Example[] {
  return EXAMPLES[method] ?? WRITTEN_EXAMPLES[method] ?? [];
}
