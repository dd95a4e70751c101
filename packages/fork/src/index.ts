export { buildForkGenesis } from "./fork-genesis.js";
export { type ForkOrigin, remoteOrigin, storedOrigin } from "./fork-origin.js";
export { closeForkSource, ForkSource, forkSource, isEndpoint } from "./fork-source.js";
export { ForkedBlocks } from "./forked-blocks.js";
export { ForkedStates, ForkedStateWriter } from "./forked-states.js";
