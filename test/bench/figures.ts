import { readFileSync, writeFileSync } from "node:fs";

interface Figure {
  value: number;
  unit: string;
}

/** Figures of benchmarks by name, such as `import: blocks`, as kept for each release. */
export class Figures {
  private readonly figures = new Map<string, Figure>();

  /** Reads figures that {@link save} has written. Throws an error that names the file if it contains anything else. */
  static read(path: string): Figures {
    const read = new Figures();
    for (const [name, figure] of Object.entries(JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>)) {
      if (!isFigure(figure)) throw new Error(`${path}: expected a value and a unit of ${name}`);
      read.figures.set(name, figure);
    }
    return read;
  }

  add(name: string, value: number, unit: string): void {
    this.figures.set(name, { value, unit });
  }

  /** Returns the ratio of a new figure to the old one of the same name and unit; undefined if there is none. */
  ratio(name: string, value: number, unit: string): number | undefined {
    const old = this.figures.get(name);
    return old?.unit === unit && old.value !== 0 ? value / old.value : undefined;
  }

  save(path: string): void {
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(this.figures), undefined, 2)}\n`);
  }
}

/** Reads figures as the benchmarks print them: lines of `<bench>: <name> <value> <unit>`. */
export function readPrinted(path: string): { bench: string; name: string; value: number; unit: string }[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, bench, name, value, unit] = /^([^:]+): (.+) ([\d.]+) (\S+)$/.exec(line) ?? [];
      if (unit === undefined) throw new Error(`${path}: expected "<bench>: <name> <value> <unit>", found "${line}"`);
      return { bench: bench!, name: name!, value: Number(value), unit };
    });
}

function isFigure(figure: unknown): figure is Figure {
  const { value, unit } = (figure ?? {}) as Partial<Figure>;
  return typeof value === "number" && typeof unit === "string";
}
