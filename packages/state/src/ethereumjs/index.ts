export { JournaledStateManager } from "./journaled-state-manager.js";
export { EthereumJsStateManager } from "./state-manager.js";
