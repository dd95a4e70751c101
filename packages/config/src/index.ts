export * from "./addresses.js";
export * from "./constants.js";
export * from "./network.js";
export * from "./networks.js";
export * from "./rules.js";
export * from "./upgrades.js";
