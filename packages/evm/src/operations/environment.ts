import { EMPTY_KECCAK } from "@cambium/primitives";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { fromBytes, readWord, toAddress, toClampedNumber, toWord, type Word, wrap } from "../words.js";
import { chargeAccount } from "./account-access.js";

// Opcodes that read the frame, the transaction, the block and other accounts: spec/04 §3.5, §3.6.

const ALL_ONES = (1n << 256n) - 1n;
const EMPTY_CODE_HASH = fromBytes(EMPTY_KECCAK);

export function address(frame: Frame): void {
  frame.push(frame.addressWord);
}

/** Two's complement of a balance, which is negative only inside free bridge transactions. */
function balanceWord(balance: bigint): Word {
  return toWord(wrap(balance));
}

export function balance(frame: Frame, execution: Execution): void {
  const target = toAddress(frame.pop());
  chargeAccount(frame, execution, target);
  frame.push(balanceWord(execution.state.getBalance(target)));
}

export function selfBalance(frame: Frame, execution: Execution): void {
  frame.push(balanceWord(execution.state.getBalance(frame.address)));
}

export function origin(frame: Frame, execution: Execution): void {
  frame.push(execution.originWord);
}

export function caller(frame: Frame): void {
  frame.push(frame.callerWord);
}

export function callValue(frame: Frame): void {
  frame.push(frame.invocation.value);
}

const loaded = new Uint8Array(32);
const loadedView = new DataView(loaded.buffer);

export function callDataLoad(frame: Frame): void {
  const { input } = frame.invocation;
  const offset = toClampedNumber(frame.pop());
  if (offset >= input.length) {
    frame.push(0);
    return;
  }
  const available = Math.min(32, input.length - offset);
  // Byte by byte: a view of them for `set` would cost several times as much.
  for (let i = 0; i < available; i++) loaded[i] = input[offset + i]!;
  if (available < 32) loaded.fill(0, available);
  frame.push(readWord(loadedView, 0));
}

export function callDataSize(frame: Frame): void {
  frame.push(frame.invocation.input.length);
}

export function codeSize(frame: Frame): void {
  frame.push(frame.invocation.code.bytes.length);
}

export function returnDataSize(frame: Frame): void {
  frame.push(frame.returnData.length);
}

export function gasPrice(frame: Frame, execution: Execution): void {
  frame.push(execution.gasPriceWord);
}

export function extCodeSize(frame: Frame, execution: Execution): void {
  const target = frame.pop();
  const account = toAddress(target);
  chargeAccount(frame, execution, account);
  const isNative = execution.rules.rskip90 && execution.findNative(target) !== undefined;
  frame.push(isNative ? ALL_ONES : execution.state.getCodeSize(account));
}

export function extCodeHash(frame: Frame, execution: Execution): void {
  const target = frame.pop();
  const account = toAddress(target);
  chargeAccount(frame, execution, account);
  if (execution.findNative(target) !== undefined) frame.push(EMPTY_CODE_HASH);
  else frame.push(fromBytes(execution.state.getCodeHash(account, execution.rules)));
}

const BLOCK_HASH_WINDOW = 256;

export function blockHash(frame: Frame, execution: Execution): void {
  const height = toClampedNumber(frame.pop());
  const { number, ancestors } = execution.block;
  const inWindow = height < number && height >= Math.max(0, number - BLOCK_HASH_WINDOW);
  const hash = inWindow ? ancestors.hash(height) : undefined;
  frame.push(hash === undefined ? 0 : fromBytes(hash));
}

export function coinbase(frame: Frame, execution: Execution): void {
  frame.push(execution.blockWords.coinbase);
}

export function timestamp(frame: Frame, execution: Execution): void {
  frame.push(execution.blockWords.timestamp);
}

export function blockNumber(frame: Frame, execution: Execution): void {
  frame.push(execution.block.number);
}

export function difficulty(frame: Frame, execution: Execution): void {
  frame.push(execution.blockWords.difficulty);
}

export function gasLimit(frame: Frame, execution: Execution): void {
  frame.push(execution.blockWords.gasLimit);
}

export function chainId(frame: Frame, execution: Execution): void {
  frame.push(execution.network.chainId);
}

/** The block's minimum gas price (RSKIP-412). */
export function baseFee(frame: Frame, execution: Execution): void {
  frame.push(execution.blockWords.baseFee);
}

export function txIndex(frame: Frame, execution: Execution): void {
  frame.push(execution.index);
}
