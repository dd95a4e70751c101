import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { allMetrics, metricsPage } from "../scripts/metrics-page.js";

describe("the metrics", () => {
  it("are those of docs/metrics.md", () => {
    const page = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
    assert.equal(page, metricsPage(), "docs/metrics.md is stale: run `npm run docs`");
  });

  it("have names as Prometheus recommends", () => {
    for (const { name, type } of allMetrics()) {
      if (!name.startsWith("cambium_")) continue;
      assert.match(name, /^cambium_[a-z]+(_[a-z]+)*$/);
      assert.equal(name.endsWith("_total"), type === "counter", name);
      assert.doesNotMatch(name, /_(milliseconds|ms|kb|mb|minutes|count|sum|bucket)(_|$)/);
    }
  });
});
