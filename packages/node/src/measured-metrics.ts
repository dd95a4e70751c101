import { type MeasurementFamily, measurementFamilies } from "@cambium/primitives";
import type { Metric, MetricObjectWithValues, MetricValueWithName, Registry } from "prom-client";

/**
 * Registers the measurements of all modules loaded so far. They are summed over all threads when Prometheus scrapes.
 */
export function registerMeasurements(registry: Registry): void {
  for (const family of measurementFamilies()) {
    if (registry.getSingleMetric(family.name) !== undefined) continue;
    registry.registerMetric(new MeasuredMetric(family) as never as Metric);
  }
}

type Values = Omit<MetricObjectWithValues<MetricValueWithName<string>>, "collect">;

/** A measurement in the form in which the registry of `prom-client` reads its own metrics. */
class MeasuredMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MeasurementFamily["kind"];
  readonly labelNames: readonly string[];

  constructor(private readonly family: MeasurementFamily) {
    this.name = family.name;
    this.help = family.help;
    this.type = family.kind;
    this.labelNames = family.labelNames;
  }

  get(): Promise<Values> {
    const { name, help, type, family } = this;
    const read = type === "histogram" ? histogramValues : plainValues;
    return Promise.resolve({ name, help, type: type as never, aggregator: "sum", values: read(family) });
  }

  /** Does nothing: totals never fall. */
  reset(): void {}
}

function plainValues({ name, series }: MeasurementFamily): MetricValueWithName<string>[] {
  const shown = series.filter((one) => one.isShown());
  return shown.map((one) => ({ metricName: name, labels: { ...one.labels }, value: one.values()[0]! }));
}

/**
 * Returns the values of a histogram. In Prometheus, a bucket also counts the values of lower buckets. A label without
 * observations, such as a method that was never called, has no lines: they would be most of the text.
 */
export function histogramValues({
  name,
  bounds,
  series,
  labelNames,
}: MeasurementFamily): MetricValueWithName<string>[] {
  return series.flatMap((one) => {
    const labels = { ...one.labels };
    let count = 0;
    const buckets = one.values().map((value, index) => {
      count += value;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? "+Inf" }, value: count };
    });
    if (count === 0 && labelNames.length > 0) return [];
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: one.sum() },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
}
