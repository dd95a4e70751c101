import assert from "node:assert/strict";
import { histogram } from "@cambium/primitives";
import { Registry } from "prom-client";
import { registerMeasurements } from "../src/measured-metrics.js";

describe("measurements as Prometheus reads them", () => {
  it("are left out for values of labels that were never observed", async () => {
    const name = "cambium_example_seconds";
    const [used] = ["used", "unused"].map((method) => histogram(name, "An example", [1, 2], { method }));
    const plain = histogram("cambium_plain_seconds", "Another one", [1]);
    const registry = new Registry();
    registerMeasurements(registry);
    assert.doesNotMatch(await registry.getSingleMetricAsString(name), /used/);
    used!.observe(1.5);
    const text = await registry.getSingleMetricAsString(name);
    assert.match(text, /cambium_example_seconds_bucket\{method="used",le="2"\} 1/);
    assert.doesNotMatch(text, /unused/);
    assert.match(await registry.getSingleMetricAsString("cambium_plain_seconds"), /_count 0/);
    plain.observe(0.5);
    assert.match(await registry.getSingleMetricAsString("cambium_plain_seconds"), /_count 1/);
  });
});
