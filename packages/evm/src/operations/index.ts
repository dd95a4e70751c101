import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { Op } from "../opcodes.js";
import * as arithmetic from "./arithmetic.js";
import { call } from "./call.js";
import { create } from "./create.js";
import * as environment from "./environment.js";
import { log } from "./log.js";
import * as memory from "./memory.js";
import { selfDestruct } from "./self-destruct.js";
import { dupN, swapN } from "./stack.js";
import * as storage from "./storage.js";

/** An opcode that works on the frame. The caller has charged its constant gas and checked the stack. */
export type Operation = (frame: Frame, execution: Execution, op: number) => void;

const arithmeticOperations: readonly (readonly [number, Operation])[] = [
  [Op.SDIV, arithmetic.sdiv],
  [Op.SMOD, arithmetic.smod],
  [Op.ADDMOD, arithmetic.addmod],
  [Op.MULMOD, arithmetic.mulmod],
  [Op.EXP, arithmetic.exp],
  [Op.SLT, arithmetic.slt],
  [Op.SGT, arithmetic.sgt],
  [Op.XOR, arithmetic.xor],
  [Op.SIGNEXTEND, arithmetic.signextend],
  [Op.BYTE, arithmetic.byte],
  [Op.SAR, arithmetic.sar],
];

const environmentOperations: readonly (readonly [number, Operation])[] = [
  [Op.ADDRESS, environment.address],
  [Op.BALANCE, environment.balance],
  [Op.ORIGIN, environment.origin],
  [Op.CALLER, environment.caller],
  [Op.CALLVALUE, environment.callValue],
  [Op.CALLDATALOAD, environment.callDataLoad],
  [Op.CALLDATASIZE, environment.callDataSize],
  [Op.CODESIZE, environment.codeSize],
  [Op.GASPRICE, environment.gasPrice],
  [Op.EXTCODESIZE, environment.extCodeSize],
  [Op.RETURNDATASIZE, environment.returnDataSize],
  [Op.EXTCODEHASH, environment.extCodeHash],
  [Op.BLOCKHASH, environment.blockHash],
  [Op.COINBASE, environment.coinbase],
  [Op.TIMESTAMP, environment.timestamp],
  [Op.NUMBER, environment.blockNumber],
  [Op.DIFFICULTY, environment.difficulty],
  [Op.GASLIMIT, environment.gasLimit],
  [Op.CHAINID, environment.chainId],
  [Op.SELFBALANCE, environment.selfBalance],
  [Op.BASEFEE, environment.baseFee],
  [Op.TXINDEX, environment.txIndex],
];

const dataOperations: readonly (readonly [number, Operation])[] = [
  [Op.SHA3, memory.sha3],
  [Op.CALLDATACOPY, memory.callDataCopy],
  [Op.CODECOPY, memory.codeCopy],
  [Op.EXTCODECOPY, memory.extCodeCopy],
  [Op.RETURNDATACOPY, memory.returnDataCopy],
  [Op.MSTORE8, memory.mstore8],
  [Op.MCOPY, memory.mcopy],
  [Op.SLOAD, storage.sload],
  [Op.SSTORE, storage.sstore],
  [Op.TLOAD, storage.tload],
  [Op.TSTORE, storage.tstore],
  [Op.DUPN, dupN],
  [Op.SWAPN, swapN],
  ...[0, 1, 2, 3, 4].map((n) => [Op.LOG0 + n, log] as const),
];

const systemOperations: readonly (readonly [number, Operation])[] = [
  [Op.CREATE, create],
  [Op.CREATE2, create],
  [Op.CALL, call],
  [Op.CALLCODE, call],
  [Op.DELEGATECALL, call],
  [Op.STATICCALL, call],
  [Op.RETURN, (frame, execution) => memory.halt(frame, execution, "stopped")],
  [Op.REVERT, (frame, execution) => memory.halt(frame, execution, "reverted")],
  [Op.SELFDESTRUCT, selfDestruct],
];

/** Operations by opcode byte; the interpreter's loop handles those missing here. */
export const operations: readonly (Operation | undefined)[] = buildOperations();

function buildOperations(): (Operation | undefined)[] {
  const table = new Array<Operation | undefined>(256).fill(undefined);
  const assign = (entries: readonly (readonly [number, Operation])[]): void => {
    for (const [op, operation] of entries) table[op] = operation;
  };
  assign(arithmeticOperations);
  assign(environmentOperations);
  assign(dataOperations);
  assign(systemOperations);
  return table;
}
