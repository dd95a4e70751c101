import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** A position in the bundle (docs/decisions/0018), in a stack trace: file, line, column. */
const POSITION = /(file:\/\/[^\s():"]*\/cli\/bundle\/[\w-]+\.js):(\d+):(\d+)/g;

/**
 * Returns a text with all positions in the bundle replaced by those in the source, if the bundle has source maps. They
 * are read each time, in a tenth of a second: keeping them would take more memory than all other data, for rare errors.
 */
export function withSourcePositions(text: string): string {
  if (!text.includes("/cli/bundle/")) return text;
  const maps = new Map<string, SourceMap | undefined>();
  return text.replace(POSITION, (found, file: string, line: string, column: string) => {
    if (!maps.has(file)) maps.set(file, sourceMap(`${file}.map`));
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return found;
    const source = fileURLToPath(new URL(entry.originalSource, file));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function sourceMap(url: string): SourceMap | undefined {
  const path = fileURLToPath(url);
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : undefined;
}
