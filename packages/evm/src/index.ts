export { EvmError, FrameFailure, TransactionRejected } from "./errors.js";
export { createEvm, type Evm } from "./evm.js";
export type {
  ExceptionKind,
  LocalCall,
  LocalCallOutcome,
  RejectionCode,
  TransactionOutcome,
  TransactionRun,
} from "./interface.js";
export { intrinsicGas, isFreeBridgeTransaction } from "./intrinsic-gas.js";
export { nativeFailure } from "./native-failure.js";
export { precompiles } from "./precompiles/index.js";
export type { TracedFrame, TracedResult, TracedStep, Tracer } from "./tracer.js";
