export {
  EvmError,
  type ExceptionKind,
  ExecutionInterrupted,
  FrameFailure,
  type RejectionCode,
  TransactionRejected,
} from "./errors.js";
export { ETHEREUM_HARDFORKS, type EthereumHardfork, ethereumHardfork } from "./ethereum-hardforks.js";
export { createEvm, type Evm, type EvmOptions } from "./evm.js";
export type {
  LocalCall,
  LocalCallOutcome,
  TransactionOutcome,
  TransactionRun,
} from "./interface.js";
export { intrinsicGas, isFreeBridgeTransaction } from "./intrinsic-gas.js";
export { nativeFailure } from "./native/native-failure.js";
export { OPCODES, type OpcodeInfo } from "./opcodes.js";
export { loadPrecompiles, precompiles } from "./precompiles/index.js";
export { type Overrun, TimeLimit } from "./time-limit.js";
export type { FailedStep, TracedFrame, TracedOutcome, TracedResult, TracedStep, Tracer } from "./tracer.js";
