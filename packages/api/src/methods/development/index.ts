import type { MethodDefinition } from "../../definition/method.js";
import { CLOCK_METHODS } from "./clock.js";
import { DEVELOPER_METHODS } from "./developer.js";
import { IMPERSONATION_METHODS } from "./impersonation.js";
import { INFORMATION_METHODS } from "./information.js";
import { LOCAL_MINING_METHODS } from "./mining.js";
import { POOL_EDITING_METHODS } from "./pool.js";
import { REORGANISATION_METHODS } from "./reorganisation.js";
import { SNAPSHOT_METHODS } from "./snapshots.js";
import { STATE_EDITING_METHODS } from "./state.js";

/** Methods of the built-in miner of a local network, and those that tools of developers expect of one. */
export const DEVELOPMENT_METHODS: readonly MethodDefinition[] = [
  ...LOCAL_MINING_METHODS,
  ...CLOCK_METHODS,
  ...SNAPSHOT_METHODS,
  ...REORGANISATION_METHODS,
  ...STATE_EDITING_METHODS,
  ...IMPERSONATION_METHODS,
  ...POOL_EDITING_METHODS,
  ...INFORMATION_METHODS,
  ...DEVELOPER_METHODS,
];
