export { MinerError, type MinerFault } from "./errors.js";
export type {
  BlockTemplate,
  BuildRequest,
  LocalMinerApi,
  LocalMiningMode,
  MinerServerApi,
  MiningChain,
  PendingTransactionSource,
  SubmittedBlock,
  TemplateBuilder,
  TransactionFault,
  Work,
} from "./interface.js";
export { LocalMiner } from "./local/local-miner.js";
export { chainHashrate } from "./server/hashrate.js";
export { MinerServer } from "./server/miner-server.js";
export { encodeTemplate } from "./server/template-encoding.js";
export { searchNonce } from "./solutions/nonce-search.js";
export { solvedBlock } from "./solutions/solved-block.js";
export { solutionOfCoinbase, solutionOfPartialMerkle } from "./solutions/submission.js";
export { BlockBuilder, type BlockBuilderOptions, type BuildParents } from "./templates/block-builder.js";
export { nextGasLimit } from "./templates/gas-limit.js";
export { isSameRequest, type NextBlockRequest } from "./templates/next-blocks.js";
export type { OpenBlock } from "./templates/open-block.js";
export { LOCAL_MINER_SECRET, rewardAddress } from "./templates/reward-address.js";
export { TimeAdjustment } from "./templates/time-adjustment.js";
