import { MAX_CODE_SIZE, MAX_INIT_CODE_SIZE } from "@cambium/config";
import { contractAddress, contractAddress2, EMPTY_BYTES, keccak256, toHex } from "@cambium/primitives";
import { analyse } from "../code/analysed-code.js";
import { CODE_PREFIX, CODE_SIZE, type FrameFailure, INIT_CODE_SIZE, OUT_OF_GAS, STATIC_VIOLATION } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { Op } from "../opcodes.js";
import { fromBytes, toBigint, toBytes32, toClampedNumber, type Word } from "../words.js";
import { chargeAccess } from "./memory.js";
import { recordInternal } from "./message-call.js";

// CREATE and CREATE2: spec/04 §4.4.

export function create(frame: Frame, execution: Execution, op: number): void {
  const { state, rules, costs } = execution;
  const isCreate2 = op === Op.CREATE2;
  if (frame.invocation.isStatic && (isCreate2 || rules.rskip91)) throw STATIC_VIOLATION;
  const value = frame.pop();
  const offset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  const salt = isCreate2 ? toBytes32(frame.pop()) : undefined;
  frame.gas -= costs.create;
  chargeAccess(frame, costs, offset, size, costs.initCodeWord + (isCreate2 ? costs.keccakWord : 0));
  // Step traces show this cost, not the gas passed to the init code.
  if (frame.tracedGas !== undefined) frame.callCost = frame.tracedGas - frame.gas;

  const initCode = frame.memory.read(offset, size);
  const nonce = state.getNonce(frame.address);
  if (rules.rskip438 && initCode.length > MAX_INIT_CODE_SIZE) throw INIT_CODE_SIZE;
  if (frame.depth === execution.maxDepth || state.getBalance(frame.address) < toBigint(value)) {
    frame.push(0);
    return;
  }
  const address =
    salt === undefined
      ? contractAddress(frame.address, nonce)
      : contractAddress2(frame.address, salt, keccak256(initCode));
  startCreation(frame, execution, { isCreate2, address, value, initCode, nonce });
}

interface Creation {
  isCreate2: boolean;
  address: Uint8Array;
  value: Word;
  initCode: Uint8Array;
  /** The creator's nonce before the increment. */
  nonce: bigint;
}

function startCreation(frame: Frame, execution: Execution, creation: Creation): void {
  const { state, rules } = execution;
  const { address, initCode } = creation;
  const gas = frame.gas;
  frame.gas = 0;
  // The increment stays even if the creation fails.
  state.incrementNonce(frame.address);
  execution.accesses?.touchAccount(address);
  const checkpoint = state.checkpoint();
  if (rules.rskip125 && execution.deletedInList.has(toHex(address))) {
    frame.push(0);
    return;
  }
  const existed = state.exists(address);
  if (existed && collides(execution, address)) {
    frame.push(0);
    return;
  }

  state.createAccount(address, existed);
  state.markContract(address);
  if (rules.rskip125) state.incrementNonce(address);
  const value = toBigint(creation.value);
  state.transfer(frame.address, address, value);
  const record = recordInternal(frame, execution, EMPTY_BYTES, value, initCode, "create", creation.nonce);
  frame.returnData = EMPTY_BYTES;
  if (initCode.length === 0) {
    finishWithoutInitCode(frame, execution, address, gas);
    return;
  }

  frame.status = "waiting";
  frame.child = execution.open(
    {
      kind: creation.isCreate2 ? "create2" : "create",
      depth: frame.depth + 1,
      code: analyse(initCode),
      address,
      codeAddress: address,
      caller: frame.address,
      value: creation.value,
      input: EMPTY_BYTES,
      isStatic: false,
      gas,
      checkpoint,
      record,
      outOffset: 0,
      outSize: 0,
      reportsNativeCalls: false,
    },
    frame,
  );
}

function collides(execution: Execution, address: Uint8Array): boolean {
  const { state, rules } = execution;
  const hasCode = state.getCode(address).length !== 0;
  const hasNonce = BigInt.asUintN(64, state.getNonce(address)) !== 0n;
  return rules.rskip125 && (hasCode || hasNonce);
}

/** The empty code is still written, which EXTCODEHASH can see before RSKIP-169 (`spec/04 §3.5`, case 5). */
function finishWithoutInitCode(frame: Frame, execution: Execution, address: Uint8Array, gas: number): void {
  execution.state.setCode(address, EMPTY_BYTES);
  frame.push(fromBytes(address));
  frame.refundGas(gas);
}

export function codeDepositGas(code: Uint8Array, { costs }: Execution): number {
  return costs.codeByte * code.length;
}

/** Why code cannot be deposited with `gas` left, undefined if it can. The order of the checks matters. */
export function depositFailure(code: Uint8Array, gas: number, execution: Execution): FrameFailure | undefined {
  if (execution.rules.rskip544 && code[0] === 0xef) return CODE_PREFIX;
  if (gas < codeDepositGas(code, execution)) return OUT_OF_GAS;
  return code.length > MAX_CODE_SIZE ? CODE_SIZE : undefined;
}
