import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { useStore } from "../node/store.js";
import { theme } from "./theme.js";

const HEIGHT = 150;
/** Distances between labels of whole numbers: 1, 2, 5, 10 … */
const WHOLE = Array.from({ length: 18 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
/** Steps of times in seconds: full minutes, hours and days. */
const SECONDS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 6, 12, 24, 48].map((hours) => hours * 3_600),
  ...WHOLE.slice(2).map((days) => days * 86_400),
];

export interface ChartProps {
  title: string;
  /** Meaning of the values, for users who cannot see the curve; newest, least and largest value are added. */
  unit: string;
  /** Ascending. */
  x: readonly number[];
  y: readonly (number | null)[];
  kind: "bars" | "line";
  /** Whether `x` are times in seconds; they are block numbers otherwise. */
  isTime?: boolean;
  /** Kind of the values; whole numbers by default. */
  values?: "seconds" | "fractions";
  format(value: number): string;
}

/** A chart over blocks or time, with a text that says the same in short. */
export function Chart({ title, unit, x, y, kind, isTime, values, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(format);
  latest.current = format;
  const { shade } = useStore(theme);
  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(
      options(element, { kind, isTime, values, format: (value) => latest.current(value) }),
      [[], []],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [kind, isTime, shade]);
  useEffect(() => plot.current?.setData([[...x], [...y]]), [x, y, kind, isTime, shade]);
  const known = y.filter((value) => value !== null);
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <span class="note">{known.length > 0 ? format(known.at(-1)!) : "no data"}</span>
      </figcaption>
      <div
        ref={place}
        class={known.length === 0 ? "without-data" : undefined}
        role="img"
        aria-label={summary(title, unit, known, format)}
      />
    </figure>
  );
}

function summary(title: string, unit: string, values: readonly number[], format: (value: number) => string): string {
  if (values.length === 0) return `${title}: no data yet`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${title}, ${values.length} ${unit}: newest ${format(values.at(-1)!)}, least ${format(least)}, largest ${format(most)}`;
}

const INCREMENTS = { whole: { incrs: WHOLE }, seconds: { incrs: SECONDS }, fractions: {} };

function options(
  element: HTMLElement,
  { kind, isTime, values, format }: Omit<ChartProps, "title" | "unit" | "x" | "y">,
) {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [accent, fill, line, text] = ["--accent", "--accent-fill", "--line", "--muted"].map(colour) as [
    string,
    string,
    string,
    string,
  ];
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: text, font, ticks: { show: false }, grid: { stroke: line, width: 1 } };
  const bars = kind === "bars" ? { paths: uPlot.paths.bars!({ size: [0.7, 24] }) } : {};
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Bars stand on both sides of their block.
      x: {
        time: isTime === true,
        ...(kind === "bars" && { range: (_: uPlot, min: number, max: number) => [min - 0.5, max + 0.5] }),
      },
      y: { range: (_: uPlot, _min: number, max: number) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        space: 80,
        incrs: isTime ? SECONDS : WHOLE,
        values: isTime ? clockTimes : wholeNumbers,
      },
      { ...axis, size: widthOf, space: 36, ...INCREMENTS[values ?? "whole"], values: ticks(format) },
    ],
    series: [{}, { stroke: accent, fill, width: 1.5, points: { show: false }, ...bars }],
  } as uPlot.Options;
}

/** Room that the widest label needs: a fixed one would cut long labels. */
function widthOf(plot: uPlot, labels: string[] | null): number {
  plot.ctx.font = `${11 * devicePixelRatio}px ${getComputedStyle(plot.root).fontFamily}`;
  const widths = (labels ?? []).map((label) => plot.ctx.measureText(label).width / devicePixelRatio);
  return Math.ceil(Math.max(24, ...widths)) + 12;
}

/** Returns labels without duplicates: a value that differs by less than the label shows has none. */
function ticks(format: (value: number) => string) {
  return (_: uPlot, values: number[]) => {
    const labels = values.map(format);
    return labels.map((label, i) => (label === labels[i - 1] ? "" : label));
  };
}

function clockTimes(_: uPlot, values: number[]): string[] {
  return values.map((value) => new Date(value * 1000).toLocaleTimeString("en-GB"));
}

function wholeNumbers(_: uPlot, values: number[]): string[] {
  return values.map((value) => (Number.isInteger(value) ? value.toLocaleString("en") : ""));
}
