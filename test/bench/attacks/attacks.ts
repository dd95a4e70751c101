import type { Attack } from "./attack.js";
import { BIG_BODIES } from "./big-bodies.js";
import { HEAVY_CALLS } from "./heavy-calls.js";
import { SLOW_CLIENTS } from "./slow-clients.js";
import { SUBSCRIPTIONS } from "./subscriptions.js";

/** Every attack; their names are distinct. */
export const ATTACKS: readonly Attack[] = [...SLOW_CLIENTS, ...BIG_BODIES, ...HEAVY_CALLS, ...SUBSCRIPTIONS];
