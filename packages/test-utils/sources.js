import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

// node --import=tsx --import=@cambium/test-utils/sources: packages load each other from `src`, so that a test and the
// packages it uses share one copy of each class and need no build. Unlike `--conditions`, worker threads do not inherit
// it: they start from `lib`, several times as fast as through tsx.

if (isMainThread) register(import.meta.url);

/** Module customization hook: adds the condition `typescript` to imports of this project's packages. */
export function resolve(specifier, context, nextResolve) {
  if (!specifier.startsWith("@cambium/")) return nextResolve(specifier, context);
  return nextResolve(specifier, { ...context, conditions: [...context.conditions, "typescript"] });
}
