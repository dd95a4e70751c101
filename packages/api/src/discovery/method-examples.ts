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

/** Answers of a local network with two blocks, by method; recorded by `npm run examples`. */
export const RECORDED_EXAMPLES: Examples = recorded;
const FILES: Readonly<Record<MethodDefinition["example"], Examples>> = { recorded, written };

/** Examples of a method. */
export function examplesOf({ name, sameAs, result, example }: MethodDefinition): readonly Example[] {
  const examples = FILES[example][sameAs ?? name] ?? [];
  return result === NULL ? examples.map(({ params }) => ({ params, result: null })) : examples;
}
