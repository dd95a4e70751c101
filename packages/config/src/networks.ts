import type { NetworkConfig } from "./network.js";
import { dev } from "./networks/dev.js";
import { local } from "./networks/local.js";
import { main } from "./networks/main.js";
import { test } from "./networks/test.js";

export { local, main, test };

/** The built-in networks by name. */
export const NETWORKS = { main, test, dev, local } as const satisfies Record<string, NetworkConfig>;

export type NetworkName = keyof typeof NETWORKS;
