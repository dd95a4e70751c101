import { EMPTY_BYTES } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import type { EVM, EVMResult, InterpreterStep, Message } from "@ethereumjs/evm";
import { FrameFailure } from "../errors.js";
import type { TracedFrame, Tracer } from "../tracer.js";
import { exceptionKind } from "./exceptions.js";

/**
 * Reports the events of an Ethereum execution to a tracer. Gas costs of calls do not include the gas that they forward.
 * Precompiled contracts open no frame. `check` is called before each step; it throws to end the execution.
 */
export function reportSteps(evm: EVM, state: JournaledState, tracer: Tracer, check: () => void): void {
  /** Frame of each message in progress. */
  const frames: ("none" | "call" | "creation")[] = [];
  /** A creation whose address is not known yet. */
  let creation: Message | undefined;
  evm.events.on("beforeMessage", (message) => {
    creation = message.to === undefined ? message : undefined;
    const hasFrame = creation === undefined && evm.getPrecompile(message.codeAddress) === undefined;
    frames.push(hasFrame ? "call" : "none");
    if (hasFrame) tracer.enter?.(callFrame(message, message.to!.bytes, state));
  });
  // A creation has no frame, and this event does not occur, if its address is taken.
  evm.events.on("newContract", ({ address }) => {
    frames[frames.length - 1] = "creation";
    tracer.enter?.(creationFrame(creation!, address.bytes));
  });
  evm.events.on("step", (step) => {
    check();
    tracer.step?.(stepOf(step));
    tracer.stepDone?.(Number(step.opcode.dynamicFee ?? step.opcode.fee), step.depth);
  });
  evm.events.on("afterMessage", (result) => {
    const frame = frames.pop();
    if (frame === "none") return;
    const deposit = frame === "creation" ? depositCost(result) : 0;
    tracer.exit?.(resultOf(result, deposit));
    if (deposit > 0) tracer.deposit?.(deposit);
  });
}

/** Gas of a byte of code. */
const DEPOSITED_BYTE = 200;

/** Returns the gas of storing the code of a creation, which the library adds to that of its execution. */
function depositCost({ execResult: { exceptionError, returnValue } }: EVMResult): number {
  return exceptionError === undefined ? returnValue.length * DEPOSITED_BYTE : 0;
}

function callFrame(message: Message, to: Uint8Array, state: JournaledState): TracedFrame {
  const codeAddress = message.codeAddress.bytes;
  const kind = message.delegatecall ? "delegatecall" : "call";
  const code = state.getCode(codeAddress);
  return { ...commonMembers(message), kind, to, codeAddress, code, hasCode: code.length > 0 };
}

function creationFrame(message: Message, to: Uint8Array): TracedFrame {
  const kind = message.salt === undefined ? "create" : "create2";
  return { ...commonMembers(message), kind, to, codeAddress: to, code: message.data, hasCode: true };
}

function commonMembers({ caller, value, data, gasLimit, depth }: Message) {
  return { from: caller.bytes, value, input: data, gas: Number(gasLimit), depth };
}

function stepOf({ opcode, pc, depth, gasLeft, gasRefund, address, stack, memory }: InterpreterStep) {
  const { code, name } = opcode;
  return {
    op: code,
    name: name === "INVALID" && code !== 0xfe ? undefined : name,
    pc,
    isImplicit: false,
    depth,
    gas: Number(gasLeft),
    address: address.bytes,
    stack: () => stack,
    memory: () => memory,
    // The library does not report it.
    returnData: () => EMPTY_BYTES,
    refund: () => Number(gasRefund),
  };
}

function resultOf({ execResult }: EVMResult, deposit: number) {
  const { exceptionError, returnValue, executionGasUsed } = execResult;
  const reverted = exceptionError?.error === "revert";
  const failure =
    exceptionError === undefined || reverted
      ? undefined
      : new FrameFailure(exceptionKind(exceptionError.error), exceptionError.error);
  return {
    output: returnValue,
    gasUsed: Number(executionGasUsed) - deposit,
    reverted,
    ...(failure ? { failure } : {}),
  };
}
