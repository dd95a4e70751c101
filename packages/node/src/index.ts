export { NodeError } from "./errors.js";
export { Node } from "./node.js";
export { networkDefaults } from "./options.js";
