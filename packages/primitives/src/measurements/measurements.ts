import { type Cell, cellOf } from "./thread-sections.js";

/** Values of labels by name. */
export type Labels = Readonly<Record<string, string>>;

/** A number that only grows. */
export interface Counter {
  /** Adds 1, or another number that is not negative. */
  add(amount?: number): void;
}

/** A number that rises and falls, such as the length of a queue. */
export interface Gauge {
  /** Adds a number, which may be negative. */
  add(amount: number): void;
}

/** Counts values by their size. */
export interface Histogram {
  observe(value: number): void;
}

/** The measurements of one name: one for each combination of labels. */
export interface MeasurementFamily {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds of the buckets of a histogram, ascending; the last bucket has none. */
  readonly bounds: readonly number[];
  readonly series: readonly MeasurementSeries[];
}

export interface MeasurementSeries {
  readonly labels: Labels;
  /** Returns the number, or that of each bucket, summed over all threads. */
  values(): number[];
  /** Sum of the values that a histogram has observed. */
  sum(): number;
  /** False for a counter of what has not happened yet: {@link counter}. */
  isShown(): boolean;
}

/** Bounds in seconds for requests, queries and blocks. */
export const DURATIONS = [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 60] as const;
/** Maximum number of bounds of a histogram. A cell also has a bucket beyond them, and the sum. */
const MAX_BOUNDS = 14;
const SUM = MAX_BOUNDS + 1;

type Family = MeasurementFamily & { readonly series: Series[] };

const families = new Map<string, Family>();
/** Names and labels of all series. */
const known = new Set<string>();

/** Measurements of all modules that this process has loaded. */
export function measurementFamilies(): readonly MeasurementFamily[] {
  return [...families.values()];
}

/**
 * Returns the counter with this name, which includes `cambium_`, and these labels. Measurements are numbers in memory
 * that every thread adds to without waiting. They are summed when they are read. `shownWith` hides a counter until that
 * histogram has observed a value: it is then shown from zero on, so that its first increase is seen.
 */
export function counter(name: string, help: string, labels: Labels = {}, shownWith?: Histogram): Counter {
  return new Series(familyOf(name, "counter", help, labels), labels, shownWith as Series | undefined);
}

/** Like {@link counter}, for a gauge. */
export function gauge(name: string, help: string, labels: Labels = {}): Gauge {
  return new Series(familyOf(name, "gauge", help, labels), labels);
}

/** Like {@link counter}, for a histogram; `bounds` are at most 14 and ascend. */
export function histogram(name: string, help: string, bounds: readonly number[], labels: Labels = {}): Histogram {
  return new Series(familyOf(name, "histogram", help, labels, bounds), labels);
}

/** Returns the results of `create` for each of these values of a label. */
export function forEach<Value extends string, T>(
  values: readonly Value[],
  create: (value: Value) => T,
): Readonly<Record<Value, T>> {
  return Object.fromEntries(values.map((value) => [value, create(value)])) as Record<Value, T>;
}

function familyOf(
  name: string,
  kind: Family["kind"],
  help: string,
  labels: Labels,
  bounds: readonly number[] = [],
): Family {
  let family = families.get(name);
  if (family === undefined) {
    if (bounds.length > MAX_BOUNDS) throw new RangeError(`${name} has more than ${MAX_BOUNDS} bounds`);
    family = { name, kind, help, labelNames: Object.keys(labels), bounds, series: [] };
    families.set(name, family);
  }
  return family;
}

class Series implements Counter, Gauge, Histogram, MeasurementSeries {
  private readonly cell: Cell;
  private readonly numbers: Float64Array;
  private readonly start: number;
  private readonly bounds: readonly number[];

  constructor(
    family: Family,
    readonly labels: Labels,
    private readonly shownWith?: Series,
  ) {
    const { name, bounds, series } = family;
    const texts = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
    const key = [name, ...texts].join("\n");
    this.cell = cellOf(key);
    this.numbers = this.cell.numbers;
    this.start = this.cell.start;
    this.bounds = bounds;
    if (!known.has(key)) series.push(this);
    known.add(key);
  }

  add(amount = 1): void {
    this.numbers[this.start]! += amount;
  }

  observe(value: number): void {
    const { bounds, numbers, start } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    numbers[start + bucket]! += 1;
    numbers[start + SUM]! += value;
  }

  values(): number[] {
    return Array.from({ length: this.bounds.length + 1 }, (_, index) => this.cell.total(index));
  }

  sum(): number {
    return this.cell.total(SUM);
  }

  isShown(): boolean {
    const { shownWith } = this;
    return shownWith === undefined || [...this.values(), ...shownWith.values()].some((count) => count > 0);
  }
}
