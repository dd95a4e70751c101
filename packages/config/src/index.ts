export * from "./addresses.js";
export * from "./constants.js";
export * from "./errors.js";
export * from "./load.js";
export * from "./network.js";
export type { NetworkJson } from "./network-schema.js";
export * from "./networks.js";
export * from "./rules.js";
export * from "./upgrades.js";
