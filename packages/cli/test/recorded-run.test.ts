import assert from "node:assert/strict";
import type { TracedFrame, TracedStep } from "@cambium/evm";
import { RecordedRun } from "../src/what-if/recorded-run.js";

describe("recorded run", () => {
  it("has no step for the end of the code, which the machine of Ethereum does not report", () => {
    const run = new RecordedRun();
    const step = (members: Partial<TracedStep>) => run.step({ depth: 0, isImplicit: false, ...members } as TracedStep);
    run.enter({ gas: 100 } as TracedFrame);
    step({ name: "JUMPDEST", op: 0x5b, pc: 0, gas: 100 });
    step({ name: "STOP", op: 0, pc: 1, gas: 99, isImplicit: true });
    run.exit({ output: new Uint8Array(), gasUsed: 1, reverted: false });
    assert.equal(run.stepCount, 1);
    assert.deepEqual([...run.opcodes.values()], [{ name: "JUMPDEST", count: 1, gas: 1 }]);
  });
});
