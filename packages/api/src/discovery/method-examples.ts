import recorded from "../../examples/recorded.json" with { type: "json" };
import written from "../../examples/written.json" with { type: "json" };
import type { MethodDefinition } from "../definition/method.js";
import { NULL } from "../schemas/values.js";

/** A request and its result. */
export interface Example {
  params: readonly unknown[];
  result: unknown;
}

type Examples = Readonly<Record<string, readonly Example[]>>;

/** What a local network with two blocks answers, by method; recorded by `npm run examples`. */
export const RECORDED_EXAMPLES: Examples = recorded;
const WRITTEN_EXAMPLES: Examples = written;

/** Returns the recorded examples of a method, or written ones if its results differ from node to node. */
export function examplesOf({ name, sameAs, result }: MethodDefinition): readonly Example[] {
  const method = sameAs ?? name;
  const examples = RECORDED_EXAMPLES[method] ?? WRITTEN_EXAMPLES[method] ?? [];
  return result === NULL ? examples.map(({ params }) => ({ params, result: null })) : examples;
}
