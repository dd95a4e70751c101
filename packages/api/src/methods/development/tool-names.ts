import { type MethodDefinition, moduleOf } from "../../definition/method.js";
import { NULL } from "../../schemas/values.js";

/**
 * Defines a method under the names that tools of developers use for it; the first one is its own name. Where Hardhat
 * answers true, Anvil answers null, and its clients accept nothing else.
 */
export function underNames(
  definition: MethodDefinition,
  ...names: readonly `${"evm" | "hardhat" | "anvil"}_${string}`[]
): MethodDefinition[] {
  return [definition, ...names.map((name) => underName(definition, name))];
}

function underName(definition: MethodDefinition, name: string): MethodDefinition {
  const module = moduleOf(name);
  const same = { ...definition, name, module, sameAs: definition.name };
  if (module !== "anvil" || (definition.result !== DONE && definition.result !== WHETHER_DONE)) return same;
  return {
    ...same,
    result: NULL,
    handler: async (...rest) => {
      await definition.handler(...rest);
    },
  };
}

/** Result of a method that only reports success. */
export const DONE = { const: true } as const;
/** Result of a method that reports whether there was anything to do. */
export const WHETHER_DONE = { type: "boolean" } as const;
