import assert from "node:assert/strict";
import { failureReason } from "../src/scenarios/rpc-decisions/failure-texts.js";

describe("failure texts of the reference", () => {
  it("are compared by the kind of failure, with the name of the exception or without", () => {
    const reasons: [string, string][] = [
      ["Not enough gas for 'SSTORE' operation executing: opGas[5000], programGas[7], tx[1234]", "out of gas"],
      ["Gas value overflow: actualGas[7], gasLimit[8], tx[1234]", "out of gas"],
      ["Invalid operation code: opcode[fe], tx[1234]", "invalid opcode"],
      ["Operation with pc isn't 'JUMPDEST': PC[7], tx[1234]", "invalid jump destination"],
      ["Expected stack size 2 but actual 1, tx: 1234", "stack underflow"],
      ["Expected: overflow 1024 elements stack limit", "stack limit reached 1024 (stack overflow)"],
      ["Attempt to call a state modifying opcode inside STATICCALL: tx[1234]", "write protection"],
      ["Maximum contract size allowed 24576 but actual 24577, tx: 1234", "contract code rejected"],
      ["Maximum initcode size allowed 49152 but actual was 49153, tx: 1234", "contract code rejected"],
      ["Contract code cannot start with 0xEF byte (RSKIP544/EIP-3541), tx: 1234", "contract code rejected"],
      ["Illegal RETURNDATACOPY arguments: offset (0) + size (1) > RETURNDATASIZE (0)", "return data out of bounds"],
      ["org.ethereum.vm.exception.VMException: Exception executing bridge: null", "precompiled contract failed"],
    ];
    for (const [text, reason] of reasons) {
      for (const prefix of ["", "class java.lang.RuntimeException: "])
        assert.equal(failureReason(prefix + text), reason);
    }
    for (const text of ["", "Reverted", "execution reverted"]) assert.equal(failureReason(text), text);
  });
});
