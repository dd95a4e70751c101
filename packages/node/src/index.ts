export { NodeError } from "./errors.js";
export { Node } from "./node.js";
export { networkDefaults } from "./options.js";
export { Preparation } from "./preparation.js";
