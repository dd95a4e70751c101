import assert from "node:assert/strict";
import { COST_CHANGES, gasSchedule } from "../src/gas-schedule.js";
import { OPCODES } from "../src/opcodes.js";
import { onlyRules, rulesWithout } from "./bare-frame.js";

describe("the gas schedule", () => {
  it("changes a cost with its rule", () => {
    const before = gasSchedule(rulesWithout("rskip400", "rskip438"));
    assert.deepEqual([before.dataByte, before.initCodeWord], [68, 0]);
    const after = gasSchedule(rulesWithout());
    assert.deepEqual([after.dataByte, after.initCodeWord], [16, 2]);
  });

  it("is the same object for the same rules", () => {
    const rules = rulesWithout();
    assert.equal(gasSchedule(rules), gasSchedule(rules));
  });

  it("has constant prices of opcodes that fit into the step table", () => {
    for (const rules of [onlyRules(), ...COST_CHANGES.map(({ rule }) => onlyRules(rule))]) {
      const costs = gasSchedule(rules);
      for (const { name, cost } of OPCODES.values()) assert(costs[cost] < 1024, name);
    }
  });
});
