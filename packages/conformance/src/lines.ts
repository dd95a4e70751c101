import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { ConformanceError } from "./errors.js";

/** A story of 120 blocks takes about 1 MB. */
const MAX_LINE_BYTES = 128 * 2 ** 20;
const LINE_FEED = 0x0a;

/** Reads the lines of a text file, gzipped if its name ends in `.gz`. Memory holds one line and one chunk. */
export async function* readLines(path: string, maxBytes = MAX_LINE_BYTES): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  for await (const chunk of chunksOf(path)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString("utf8");
      line++;
      parts = [];
      length = 0;
      start = end + 1;
    }
    length += chunk.length - start;
    if (length > maxBytes) throw new ConformanceError({ code: "LINE_TOO_LONG", path, line, maxBytes });
    parts.push(chunk.subarray(start));
  }
  if (length > 0) yield Buffer.concat(parts).toString("utf8");
}

/** Throws {@link ConformanceError} `FILE_UNREADABLE`. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const stream = path.endsWith(".gz") ? pipeline(file, createGunzip(), () => {}) : file;
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw new ConformanceError({ code: "FILE_UNREADABLE", path, reason: (error as Error).message }, { cause: error });
  }
}

const MAX_START_LINES = 16;

/** Whether one of the first lines of a file passes a test; not only the first, which may be malformed. */
export async function someFirstLine(
  file: { lines(): AsyncIterable<string> },
  test: (line: string) => boolean,
): Promise<boolean> {
  let lines = 0;
  for await (const line of file.lines()) {
    if (test(line)) return true;
    if (++lines === MAX_START_LINES) break;
  }
  return false;
}

/** A parsed line, or why it is malformed. */
export type ParsedLine<T> = { line: number; value: T } | { line: number; fault: string };

/** Parses each non-empty line as JSON. If reading fails, the last item is a fault. */
export async function* parseLines<T>(
  file: { lines(): AsyncIterable<string> },
  parse: (json: unknown) => T,
): AsyncGenerator<ParsedLine<T>> {
  let line = 0;
  try {
    for await (const text of file.lines()) {
      line++;
      if (text.trim() !== "") yield parseLine(line, text, parse);
    }
  } catch (error) {
    if (!(error instanceof ConformanceError)) throw error;
    yield { line: line + 1, fault: error.message };
  }
}

function parseLine<T>(line: number, text: string, parse: (json: unknown) => T): ParsedLine<T> {
  try {
    return { line, value: parse(JSON.parse(text)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { line, fault: `no JSON: ${error.message}` };
    if (error instanceof ConformanceError) return { line, fault: error.message };
    throw error;
  }
}

/** The value of a line of a file that must have no malformed lines. Throws an `Error` that names the line. */
export function parsedValue<T>(parsed: ParsedLine<T>): T {
  if ("fault" in parsed) throw new Error(`line ${parsed.line}: ${parsed.fault}`);
  return parsed.value;
}
