import type { MethodDefinition } from "../../definition/method.js";
import { OTTERSCAN_ADDRESS_METHODS } from "./addresses.js";
import { OTTERSCAN_BLOCK_METHODS } from "./blocks.js";
import { OTTERSCAN_TRANSACTION_METHODS } from "./transactions.js";

/**
 * Methods that Otterscan reads, a block explorer which needs no index but the node's, with the names and results of
 * Erigon.
 */
export const OTTERSCAN_METHODS: readonly MethodDefinition[] = [
  ...OTTERSCAN_BLOCK_METHODS,
  ...OTTERSCAN_TRANSACTION_METHODS,
  ...OTTERSCAN_ADDRESS_METHODS,
];
