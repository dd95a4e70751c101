export * from "./gossip/index.js";
export type * from "./interface.js";
