import { EMPTY_BYTES, toHex } from "@cambium/primitives";
import type { NativeCallContext, NativeContract, StateCheckpoint, WorldState } from "@cambium/state";
import { FrameFailure, NATIVE_FAILURE, OUT_OF_GAS, OUTPUT_OFFSET } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { MEMORY_LIMIT } from "../memory.js";
import { isContractFailure, nativeFailure } from "../native/native-failure.js";
import type { Tracer } from "../tracer.js";
import { toBigint, type Word } from "../words.js";
import { type MessageCall, recordInternal, rejectCall } from "./message-call.js";

type Executable = Pick<NativeContract, "name" | "execute">;

/** A call to a native contract, which opens no frame: `spec/04 §4.3`. */
export function callNative(frame: Frame, execution: Execution, message: MessageCall, contract: NativeContract): void {
  const { state, rules, tracer } = execution;
  if (frame.invocation.reportsNativeCalls) execution.calledContracts.add(toHex(message.targetAddress));
  if (frame.depth === execution.maxDepth) {
    rejectCall(frame, message.gas);
    return;
  }
  const value = toBigint(message.value);
  if (state.getBalance(frame.address) < value) {
    rejectAndClear(frame, execution, message.gas);
    return;
  }

  const limit = rules.rskip516 ? (contract.maxInput ?? message.inSize) : message.inSize;
  // Only a view: the memory does not change during the call.
  const data = frame.memory.peek(message.inOffset, Math.min(message.inSize, limit));
  const checkpoint = state.checkpoint();
  const context = nativeContext(frame, execution, message, contract, value);
  const least = contract.leastGas?.(data, rules) ?? 0;
  const gas = least > message.gas ? least : gasOf(contract, data, context);
  if (tracer !== undefined) reportCall(frame, message, value, data, tracer);
  if (gas > message.gas) {
    tracer?.exitNative?.({ output: EMPTY_BYTES, gasUsed: message.gas, reverted: false, failure: OUT_OF_GAS });
    state.revertTo(checkpoint);
    // The gas is not returned.
    rejectAndClear(frame, execution, 0);
    return;
  }
  execution.checkInterruption(gas);
  const executed = tracer === undefined ? contract : reportedContract(frame, contract, gas, tracer);
  if (rules.rskip197) executeContained(frame, message, attempt(frame, executed, data, context), checkpoint, state);
  else executeUncontained(frame, message, executed, data, context);
  frame.refundGas(message.gas - gas);
}

function rejectAndClear(frame: Frame, execution: Execution, gas: number): void {
  if (execution.rules.rskip171) frame.returnData = EMPTY_BYTES;
  rejectCall(frame, gas);
}

function reportCall(frame: Frame, message: MessageCall, value: bigint, data: Uint8Array, tracer: Tracer): void {
  const { kind, targetAddress, gas } = message;
  tracer.enterNative?.({
    kind,
    depth: frame.depth + 1,
    from: frame.address,
    to: receiverOf(frame, message),
    codeAddress: targetAddress,
    value,
    input: data.slice(),
    gas,
    code: EMPTY_BYTES,
    hasCode: false,
  });
}

/** The contract, which reports to a tracer how its execution ends. */
function reportedContract(frame: Frame, contract: NativeContract, gasUsed: number, tracer: Tracer): Executable {
  const failed = { output: EMPTY_BYTES, gasUsed, reverted: false, failure: NATIVE_FAILURE };
  return {
    name: contract.name,
    execute: (data, context) => {
      let output: Uint8Array | null | undefined;
      try {
        output = contract.execute(data, context);
        return output;
      } finally {
        const isFailure = output === undefined || (output === null && context.rules.rskip197);
        const ended = { output: own(output ?? EMPTY_BYTES, frame), gasUsed, reverted: false };
        tracer.exitNative?.(isFailure ? failed : ended);
      }
    },
  };
}

/** Moves the value, sets the marker and records the call, in this order; returns the contract's context. */
function nativeContext(
  frame: Frame,
  execution: Execution,
  message: MessageCall,
  contract: NativeContract,
  value: bigint,
): NativeCallContext {
  const { state, transaction } = execution;
  const { kind, targetAddress } = message;
  const receiver = receiverOf(frame, message);
  state.transfer(frame.address, receiver, value);
  if (!state.isContract(targetAddress)) state.markContract(targetAddress);
  const record = contract.recordsInternalTransactions
    ? recordInternal(frame, execution, receiver, value, EMPTY_BYTES, "call")
    : frame.invocation.record;
  return {
    network: execution.network,
    rules: execution.rules,
    block: execution.block,
    state,
    transaction,
    kind,
    caller: frame.address,
    value,
    depth: frame.depth,
    transactionHash: () => record?.hash() ?? transaction.hash,
    log: ({ address, topics, data }) =>
      execution.log({ address, topics: topics.map((topic) => own(topic, frame)), data: own(data, frame) }),
    payment: () => {},
  };
}

function receiverOf(frame: Frame, { kind, targetAddress }: MessageCall): Uint8Array {
  return kind === "callcode" || kind === "delegatecall" ? frame.address : targetAddress;
}

/** An error here fails the calling frame at every height. */
function gasOf(contract: NativeContract, data: Uint8Array, context: NativeCallContext): number {
  try {
    return contract.gas(data, context);
  } catch (error) {
    throw nativeFailure(contract, error);
  }
}

/** Completes a call from RSKIP-197 on: an error or a null output costs the contract's own gas and pushes 0. */
function executeContained(
  frame: Frame,
  message: MessageCall,
  output: Uint8Array | null,
  checkpoint: StateCheckpoint,
  state: WorldState,
): void {
  if (output === null) {
    state.revertTo(checkpoint);
    frame.returnData = EMPTY_BYTES;
    frame.push(0);
    return;
  }
  frame.returnData = output;
  writeOutput(frame, message, output);
  frame.push(1);
}

/** The output, or null on any error: the reason of the failure has no effect on the chain. */
function attempt(frame: Frame, contract: Executable, data: Uint8Array, context: NativeCallContext): Uint8Array | null {
  try {
    const output = contract.execute(data, context);
    return output && own(output, frame);
  } catch (error) {
    if (!isContractFailure(error)) throw error;
    return null;
  }
}

/** The bytes, copied if they are a part of the frame's memory, and so of the call's input. */
function own(bytes: Uint8Array, { memory }: Frame): Uint8Array {
  return bytes.buffer === memory.bytes.buffer ? bytes.slice() : bytes;
}

/**
 * Executes a call before RSKIP-197: an error fails the calling frame. Before RSKIP-150 the output also grows memory
 * without limit.
 */
function executeUncontained(
  frame: Frame,
  message: MessageCall,
  contract: Executable,
  data: Uint8Array,
  context: NativeCallContext,
): void {
  const { rules } = context;
  let output: Uint8Array | null;
  try {
    output = contract.execute(data, context);
  } catch (error) {
    throw nativeFailure(contract, error);
  }
  if (output !== null) output = own(output, frame);
  if (rules.rskip90) frame.returnData = output ?? EMPTY_BYTES;
  if (!rules.rskip150) {
    if (output === null) throw new FrameFailure("other", `${contract.name}: no output`, false, true);
    writeWholeOutput(frame, message.outOffsetWord, output);
  } else if (output !== null) writeOutput(frame, message, output);
  frame.push(1);
}

function writeOutput(frame: Frame, message: MessageCall, output: Uint8Array): void {
  frame.memory.copyIn(message.outOffset, Math.min(message.outSize, output.length), output, 0);
}

/**
 * Writes the output as before RSKIP-150: all of it, at the offset's low 32 bits read as a signed number, without a
 * charge for memory. The frame fails where the reference client would need gigabytes, so that its result depends on its
 * heap size.
 */
function writeWholeOutput(frame: Frame, offsetWord: Word, output: Uint8Array): void {
  if (output.length === 0) return;
  const offset = Number(BigInt.asIntN(32, toBigint(offsetWord)));
  const end = offset + output.length;
  if (offset < 0 || end - frame.memory.size > freeMemory(frame)) throw OUTPUT_OFFSET;
  frame.memory.copyIn(offset, output.length, output, 0);
}

/** Bytes by which a frame's memory may grow: all frames in execution share the limit of one memory. */
function freeMemory(frame: Frame): number {
  let used = 0;
  for (let open: Frame | undefined = frame; open !== undefined; open = open.parent) used += open.memory.size;
  return MEMORY_LIMIT - used;
}
