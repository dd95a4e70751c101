import assert from "node:assert/strict";
import {
  hasExecutionLists,
  headerVersionAt,
  isActivating,
  isActive,
  NETWORKS,
  type NetworkConfig,
  RULE_NAMES,
  type RuleName,
  rulesAt,
} from "../src/index.js";
import { ruleHeight } from "../src/rules.js";

const { main, test, dev, local } = NETWORKS;

describe("rule activation", () => {
  const withHeight = (height: number): NetworkConfig => ({ ...local, ruleHeights: { rskip97: height } });

  // spec/02 §11.8
  it("is active from its height on, and never for -1", () => {
    for (const n of [0, 1, 10 ** 7]) assert.equal(isActive(withHeight(-1), "rskip97", n), false);
    assert.equal(isActive(withHeight(0), "rskip97", 0), true);
    assert.equal(isActive(withHeight(3397), "rskip97", 3396), false);
    assert.equal(isActive(withHeight(3397), "rskip97", 3397), true);
  });

  it("activates exactly at its height", () => {
    assert.equal(isActivating(withHeight(3397), "rskip97", 3397), true);
    assert.equal(isActivating(withHeight(3397), "rskip97", 3398), false);
    assert.equal(isActivating(withHeight(-1), "rskip97", 0), false);
  });

  it("agrees between the table of eras and isActive", () => {
    for (const network of Object.values(NETWORKS)) {
      const heights = new Set(RULE_NAMES.map((rule) => ruleHeight(network, rule)).filter((h) => h >= 0));
      for (const n of [0, ...heights].flatMap((h) => [Math.max(0, h - 1), h, h + 1])) {
        const rules = rulesAt(network, n);
        for (const rule of RULE_NAMES)
          assert.equal(rules[rule], isActive(network, rule, n), `${network.name} ${rule} ${n}`);
      }
    }
  });

  it("returns one object per era", () => {
    assert.equal(rulesAt(main, 100), rulesAt(main, 101));
    assert.notEqual(rulesAt(main, 3396), rulesAt(main, 3397));
  });
});

describe("rule heights by network (spec/02 §1.3)", () => {
  const rows: [RuleName, number, number, number][] = [
    ["areBridgeTxsPaid", 370000, 114000, -1],
    ["rskip85", 729000, 0, 0],
    ["rskip97", 729000, -1, -1],
    ["rskip103", 1052700, 0, 0],
    ["rskip126", 1591000, 0, 0],
    ["rskip132", 1591000, 43550, 0],
    ["rskip136", 3397, 0, 0],
    ["rskip144", -1, 7139600, 1],
    ["rskip150", 2018000, 504000, 0],
    ["rskip156", 2392700, 863000, 0],
    ["rskipUmm", 2392700, 863000, 1],
    ["rskip179", 3614800, 2060500, 0],
    ["rskip252", 5468000, 4015800, 0],
    ["rskip284", 4598500, 2581800, 0],
    ["rskip290", 4598500, 2581800, 0],
    ["rskip297", 4598500, 3103000, 0],
    ["rskip305", 8052200, 6835700, 0],
    ["rskip351", -1, 7139600, 1],
    ["rskip353", 4976300, 3362200, 0],
    ["rskip378", -1, -1, 0],
    ["rskip398", 6223700, 4927100, 0],
    ["rskip434", 6549300, -1, -1],
    ["rskip438", 7338024, 6110487, 0],
    ["rskip455", -1, -1, -1],
    ["rskip502", -1, 7139600, 0],
    ["rskip529", -1, 7139600, 0],
    ["rskip535", -1, 7604200, 1],
    ["rskip536", 8804200, 7139600, 0],
    ["rskip540", 8804200, 7604200, 0],
    ["rskip559", -1, -1, 0],
  ];
  for (const [rule, onMain, onTest, onLocal] of rows) {
    it(rule, () => {
      assert.deepEqual(
        [main, test, local].map((network) => ruleHeight(network, rule)),
        [onMain, onTest, onLocal],
      );
    });
  }

  it("has no rules of header versions 1 and 2 on main", () => {
    for (const rule of ["rskip144", "rskip351", "rskip535", "rskip502", "rskip529", "rskip559"] as const) {
      assert.equal(ruleHeight(main, rule), -1);
    }
    for (const n of [0, 1591000, 8804200, 10 ** 8]) assert.equal(headerVersionAt(rulesAt(main, n)), 0);
  });

  it("changes header versions at the right blocks", () => {
    const versions = (network: NetworkConfig, ...heights: number[]) =>
      heights.map((n) => headerVersionAt(rulesAt(network, n)));
    assert.deepEqual(versions(test, 0, 7139599, 7139600, 7604199, 7604200), [0, 0, 1, 1, 2]);
    assert.deepEqual(versions(local, 0, 1, 10 ** 6), [0, 2, 2]);
  });

  it("requires RSKIP-351 for execution lists", () => {
    assert.equal(hasExecutionLists(rulesAt(local, 1)), true);
    assert.equal(hasExecutionLists(rulesAt({ ...local, ruleHeights: { rskip144: 1, rskip351: -1 } }, 1)), false);
    assert.equal(hasExecutionLists(rulesAt(dev, 10 ** 8)), false);
  });
});
