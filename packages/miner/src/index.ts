export { BlockBuilder, type BlockBuilderOptions, type BuildParents } from "./block-builder.js";
export { MinerError, type MinerFault } from "./errors.js";
export { nextGasLimit } from "./gas-limit.js";
export { chainHashrate } from "./hashrate.js";
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
export { LocalMiner } from "./local-miner.js";
export { MinerServer } from "./miner-server.js";
export { isSameRequest, type NextBlockRequest } from "./next-blocks.js";
export { searchNonce } from "./nonce-search.js";
export type { OpenBlock } from "./open-block.js";
export { LOCAL_MINER_SECRET, rewardAddress } from "./reward-address.js";
export { solvedBlock } from "./solved-block.js";
export { solutionOfCoinbase, solutionOfPartialMerkle } from "./submission.js";
export { encodeTemplate } from "./template-encoding.js";
export { TimeAdjustment } from "./time-adjustment.js";
