import type { MethodDefinition } from "../method.js";
import { BLOCK_METHODS } from "./blocks.js";
import { LOG_METHODS } from "./logs.js";
import { NODE_INFORMATION_METHODS } from "./node-information.js";
import { SIMULATION_METHODS } from "./simulation.js";
import { STATE_METHODS } from "./state.js";
import { TRANSACTION_METHODS } from "./transactions.js";

/** Every method of the node, in the order of the documentation. */
export const METHODS: readonly MethodDefinition[] = [
  ...NODE_INFORMATION_METHODS,
  ...STATE_METHODS,
  ...BLOCK_METHODS,
  ...TRANSACTION_METHODS,
  ...SIMULATION_METHODS,
  ...LOG_METHODS,
];
