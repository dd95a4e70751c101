export * from "./engine/index.js";
export * from "./errors.js";
export * from "./gossip/index.js";
export type * from "./interface.js";
export * from "./snapshot/index.js";
