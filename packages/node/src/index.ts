export { NodeError } from "./errors.js";
export { isForDevelopment } from "./networks.js";
export { Node } from "./node.js";
export {
  type MetricsOptions,
  type MiningOptions,
  type NodeOptions,
  networkDefaults,
  type PeerOptions,
  peerDefaults,
} from "./options.js";
