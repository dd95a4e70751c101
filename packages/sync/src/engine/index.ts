export { WINDOW_LIMITS, type WindowLimits } from "./body-download.js";
export { type Clock, platformClock } from "./clock.js";
export { SyncEngine, type SyncEngineModules, type SyncEngineOptions, type SyncLogger } from "./engine.js";
export type { Rate, Rates } from "./request-pace.js";
export { statusLine } from "./status-line.js";
