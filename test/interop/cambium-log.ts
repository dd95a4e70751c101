import type { ChildProcess } from "node:child_process";

/** Level of warnings. */
const WARNING = 40;

/** Collects the lines of warnings and errors that a node of this project logs. */
export function collectWarnings({ stdout, stderr }: ChildProcess): string[] {
  const warnings: string[] = [];
  for (const stream of [stdout!, stderr!]) {
    let rest = "";
    stream.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      warnings.push(...lines.filter(isWarning));
    });
  }
  return warnings;
}

function isWarning(line: string): boolean {
  const level = line.match(/^\{"level":(\d+)/)?.[1];
  return level !== undefined && Number(level) >= WARNING;
}
