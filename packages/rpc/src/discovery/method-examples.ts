import { NULL } from "../methods/result-schemas.js";
import type { MethodDefinition } from "../requests/method.js";
import { EXAMPLES, type Example } from "./examples.js";
import { WRITTEN_EXAMPLES } from "./written-examples.js";

/** Examples of a method: recorded ones, or one that is written down because the result differs from node to node. */
export function examplesOf({ name, sameAs, result }: MethodDefinition): readonly Example[] {
  const examples = EXAMPLES[sameAs ?? name] ?? WRITTEN_EXAMPLES[sameAs ?? name] ?? [];
  return result === NULL ? examples.map(({ params }) => ({ params, result: null })) : examples;
}
