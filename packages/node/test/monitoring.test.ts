import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { allMetrics } from "../scripts/metrics-page.js";

const FOLDER = fileURLToPath(new URL("../../../docs/monitoring/", import.meta.url));

/** Expressions of the panels of the dashboard, by title. */
function panels(): [title: string, expression: string][] {
  const { panels } = JSON.parse(readFileSync(`${FOLDER}grafana-dashboard.json`, "utf8"));
  return panels.flatMap(({ title, targets = [] }: { title: string; targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => [title, expr]),
  );
}

/** Texts of the rules, by name. */
function rules(): [name: string, text: string][] {
  const [, ...parts] = readFileSync(`${FOLDER}alerts.yml`, "utf8").split("- alert: ");
  return parts.map((part) => [part.split("\n")[0]!, part]);
}

describe("monitoring", () => {
  const metrics = new Map(allMetrics().map((metric) => [metric.name, metric]));

  /** Returns the metric of a series; series of a histogram have a suffix. */
  function metricOf(series: string) {
    const histogram = metrics.get(series.replace(/_(bucket|sum|count)$/, ""));
    return metrics.get(series) ?? (histogram?.type === "histogram" ? histogram : undefined);
  }

  function check(where: string, text: string): number {
    const found = [...text.matchAll(/\b((?:cambium|nodejs|process)_[a-z_]+)(?:\{([^}]*)\})?/g)];
    for (const [, series, matchers = ""] of found) {
      const metric = metricOf(series!);
      assert.ok(metric, `${where}: there is no metric ${series}`);
      const labels = [...matchers.matchAll(/(\w+)=/g)].map(([, label]) => label!);
      for (const label of labels) {
        const known = ["instance", ...(metric.type === "histogram" ? ["le"] : []), ...metric.labelNames];
        assert.ok(known.includes(label), `${where}: ${series} has no label ${label}`);
      }
    }
    return found.length;
  }

  it("uses metrics that exist, in every panel of the dashboard", () => {
    assert.ok(panels().length > 30);
    for (const [title, expression] of panels()) assert.ok(check(title, expression) > 0, title);
  });

  it("uses metrics that exist, in every rule for alerts", () => {
    assert.ok(rules().length >= 5);
    for (const [name, text] of rules()) assert.ok(check(name, text) > 0, name);
  });

  it("has rules that promtool accepts, and that fire when they should", function () {
    if (spawnSync("promtool", ["--version"]).status !== 0) this.skip();
    for (const parameters of [
      ["check", "rules", "alerts.yml"],
      ["test", "rules", "alerts.test.yml"],
    ]) {
      const { status, stdout, stderr } = spawnSync("promtool", parameters, { cwd: FOLDER, encoding: "utf8" });
      assert.equal(status, 0, stdout + stderr);
    }
  });
});
