import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { fc } from "@cambium/test-utils/properties";
import { executionLists } from "../../src/execution/execution-lists.js";
import { listGasLimits } from "../../src/index.js";
import { executionEdges } from "../../src/rules/execution-edges.js";
import { codeOf, faultOf } from "../support.js";

describe("gas of execution lists", () => {
  // spec/02 §11.5: gas limit, minimum of the sequential list, parallel, sequential
  const splits: [number, number, number, number][] = [
    [9000000, 2000000, 3000000, 3000000],
    [10000000, 6800000, 1600000, 6800000],
    [10000011, 6800000, 1600005, 6800001],
    [6800000, 10000000, 0, 6800000],
    [10000001, 10000000, 0, 10000001],
    [15000000, 10000000, 2500000, 10000000],
    [29999999, 10000000, 9999999, 10000001],
    [30000000, 10000000, 10000000, 10000000],
    [30000002, 10000000, 10000000, 10000002],
  ];
  for (const [gasLimit, minimum, parallel, sequential] of splits) {
    it(`${gasLimit} with a minimum of ${minimum}`, () => {
      assert.deepEqual(listGasLimits(BigInt(gasLimit), BigInt(minimum)), {
        parallel: BigInt(parallel),
        sequential: BigInt(sequential),
      });
    });
  }

  it("never exceeds the block's gas", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n), fc.bigInt(0n, 2n ** 33n), (gasLimit, minimum) => {
        const { parallel, sequential } = listGasLimits(gasLimit, minimum);
        return parallel >= 0n && 2n * parallel + sequential === gasLimit;
      }),
    );
  });
});

describe("execution lists", () => {
  const limits = { parallel: 3n, sequential: 5n };
  const bounds = (edges: number[], count: number) =>
    executionLists(edges, count, limits).map(({ kind, start, end, gasLimit }) => [kind, start, end, gasLimit]);

  it("cuts the transactions at the edges", () => {
    assert.deepEqual(bounds([2, 5], 7), [
      ["parallel", 0, 2, 3n],
      ["parallel", 2, 5, 3n],
      ["sequential", 5, 7, 5n],
    ]);
    assert.deepEqual(bounds([2], 3), [
      ["parallel", 0, 2, 3n],
      ["sequential", 2, 3, 5n],
    ]);
    assert.deepEqual(bounds([], 3), [["sequential", 0, 3, 5n]]);
  });

  it("rejects edges that do not divide the transactions", () => {
    for (const edges of [[4], [-1], [2, 1]])
      assert.equal(
        codeOf(() => void bounds(edges, 3)),
        "EXECUTION_EDGES",
      );
  });
});

describe("execution edges", () => {
  const active = rulesAt(NETWORKS.local, 1);
  const reasonFor = (edges: number[] | null, rules = active) => {
    const fault = faultOf(() => executionEdges({ executionEdges: edges }, 10, rules));
    return fault?.code === "EXECUTION_EDGES" ? fault.reason : fault;
  };

  // spec/02 §11.5, ten transactions
  it("accepts none, or ascending ones before the last transaction", () => {
    for (const edges of [[], [2, 5], [9], [1, 9]]) assert.equal(reasonFor(edges), undefined);
  });

  it("reports what is wrong with others", () => {
    assert.equal(reasonFor([1, 2, 3, 4, 5]), "too-many");
    assert.equal(reasonFor([1, 2, 3]), "too-many");
    assert.equal(reasonFor([10]), "out-of-bounds");
    assert.equal(reasonFor([12]), "out-of-bounds");
    assert.equal(reasonFor([-2]), "not-positive");
    assert.equal(reasonFor([0, 2]), "not-positive");
    assert.equal(reasonFor([2, 2]), "not-ascending");
    assert.equal(reasonFor([4, 2]), "not-ascending");
    assert.equal(reasonFor(null), "absent");
  });

  it("checks nothing if there are no lists", () => {
    for (const edges of [null, [0], [7, 3]])
      assert.equal(reasonFor(edges, rulesAt(NETWORKS.main, 8_000_000)), undefined);
  });
});
