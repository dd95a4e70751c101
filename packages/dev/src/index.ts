export { ArtifactStore } from "./artifacts/artifact-store.js";
export { DevNode, type DevNodeOptions } from "./composition/dev-node.js";
export { type DevListening, devRpcConfig } from "./composition/dev-rpc-config.js";
export { DevConsole, type Shown, shownDocument, shownText } from "./console/dev-console.js";
export { KnownSignatures } from "./console/known-signatures.js";
export {
  DevelopmentChain,
  type DevelopmentChainOptions,
  startDevelopmentChain,
} from "./development-chain.js";
export { DevError } from "./errors.js";
export type { DevelopmentProvider } from "./provider.js";
export { ProviderRpcError } from "./provider-error.js";
