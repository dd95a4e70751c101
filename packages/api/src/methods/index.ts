import type { MethodDefinition } from "../definition/method.js";
import { ADMIN_METHODS } from "./admin.js";
import { BLOCK_METHODS } from "./blocks.js";
import { BRIDGE_METHODS } from "./bridge.js";
import { CHAIN_METHODS } from "./chain.js";
import { DEBUG_METHODS } from "./debug.js";
import { DEVELOPMENT_METHODS } from "./development/index.js";
import { DISCOVERY_METHODS } from "./discovery.js";
import { FEE_METHODS } from "./fees.js";
import { FILTER_METHODS } from "./filters.js";
import { LOG_METHODS } from "./logs.js";
import { MINING_METHODS } from "./mining.js";
import { NODE_INFORMATION_METHODS } from "./node-information.js";
import { OTTERSCAN_METHODS } from "./otterscan/index.js";
import { PERSONAL_METHODS } from "./personal.js";
import { POOL_METHODS } from "./pool.js";
import { PROOF_METHODS } from "./proofs.js";
import { RAW_METHODS } from "./raw.js";
import { SCORING_METHODS } from "./scoring.js";
import { SENDING_METHODS } from "./sending.js";
import { SIMULATION_METHODS } from "./simulation.js";
import { STATE_METHODS } from "./state.js";
import { SUBSCRIPTION_METHODS } from "./subscriptions.js";
import { TRACE_METHODS } from "./trace.js";
import { TRANSACTION_METHODS } from "./transactions.js";

/** Every method of the node, in the order of the documentation. */
export const METHODS: readonly MethodDefinition[] = [
  ...NODE_INFORMATION_METHODS,
  ...STATE_METHODS,
  ...BLOCK_METHODS,
  ...TRANSACTION_METHODS,
  ...SENDING_METHODS,
  ...POOL_METHODS,
  ...FEE_METHODS,
  ...PERSONAL_METHODS,
  ...MINING_METHODS,
  ...DEVELOPMENT_METHODS,
  ...SIMULATION_METHODS,
  ...LOG_METHODS,
  ...PROOF_METHODS,
  ...CHAIN_METHODS,
  ...BRIDGE_METHODS,
  ...DEBUG_METHODS,
  ...RAW_METHODS,
  ...TRACE_METHODS,
  ...OTTERSCAN_METHODS,
  ...SCORING_METHODS,
  ...ADMIN_METHODS,
  ...FILTER_METHODS,
  ...SUBSCRIPTION_METHODS,
  ...DISCOVERY_METHODS,
];
