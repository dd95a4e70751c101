export { WINDOW_LIMITS, type WindowLimits } from "./body-download.js";
export { SyncEngine, type SyncEngineModules, type SyncEngineOptions } from "./engine.js";
export type { Rate, Rates } from "./request-pace.js";
export { statusLine } from "./status-line.js";
