import assert from "node:assert/strict";
import { histogramValues } from "../src/measured-metrics.js";

describe("histograms as Prometheus reads them", () => {
  const about = { name: "seconds", kind: "histogram", help: "An example", bounds: [1, 2] } as const;
  const series = (method: string, values: number[]) => ({
    labels: { method },
    values: () => values,
    sum: () => 3,
    isShown: () => true,
  });

  it("count in a bucket what is in those below", () => {
    const lines = histogramValues({ ...about, labelNames: ["method"], series: [series("used", [1, 2, 0])] });
    assert.deepEqual(
      lines.map(({ value }) => value),
      [1, 3, 3, 3, 3],
    );
  });

  it("are left out for values of a label that were never observed", () => {
    const all = [series("unused", [0, 0, 0]), series("used", [1, 0, 0])];
    const lines = histogramValues({ ...about, labelNames: ["method"], series: all });
    assert.deepEqual(new Set(lines.map(({ labels }) => labels.method)), new Set(["used"]));
    const plain = histogramValues({ ...about, labelNames: [], series: [{ ...all[0]!, labels: {} }] });
    assert.equal(plain.length, 5);
  });
});
