export { EvmError, type EvmFault, FrameFailure, TransactionRejected } from "./errors.js";
export { createEvm, type Evm } from "./evm.js";
export * from "./interface.js";
export { intrinsicGas, isFreeBridgeTransaction } from "./intrinsic-gas.js";
export { nativeFailure } from "./native-failure.js";
export { opcodeName } from "./opcodes.js";
export { PrecompileError, precompiles } from "./precompiles/index.js";
export * from "./tracer.js";
