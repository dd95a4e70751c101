export { NodeError } from "./errors.js";
export { isForDevelopment } from "./networks.js";
export { databasePath, Node } from "./node.js";
export { type MiningOptions, type NodeOptions, networkDefaults } from "./options.js";
