import { once } from "node:events";
import { createWriteStream, rmSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fetchFailure } from "@cambium/primitives";
import { CliError } from "../errors.js";

/**
 * Attempts in a row that bring no byte before the download fails, and milliseconds before the second; each pause is
 * twice the one before.
 */
const ATTEMPTS = 5;
const FIRST_PAUSE = 500;
/** Milliseconds without a byte after which a connection is given up. */
const SILENCE = 60_000;

export interface DownloadOptions {
  signal: AbortSignal;
  /** Bytes so far, and all, undefined if the server does not say. */
  onProgress: (bytes: number, total: number | undefined) => void;
  /** Maximum size of the file, in bytes. */
  maxBytes?: number;
}

/**
 * Downloads a file to `path`, from where a part of it that is there ends; a server that cannot continue sends all
 * again. Lost connections are opened again. Rejects with {@link CliError} `DOWNLOAD`, keeping what has arrived, or if
 * `signal` aborts.
 */
export async function download(url: URL, path: string, options: DownloadOptions): Promise<void> {
  for (let failures = 0; ; ) {
    const before = sizeOf(path);
    try {
      if (await attempt(url, path, options)) return;
    } catch (error) {
      if (options.signal.aborted || error instanceof CliError) throw error;
      failures = sizeOf(path) > before ? 0 : failures + 1;
      if (failures === ATTEMPTS) throw failed(url, fetchFailure(error));
      await wait(FIRST_PAUSE * 2 ** failures, undefined, { signal: options.signal });
    }
  }
}

/** One request. Whether the file is complete; else the next attempt starts from its beginning. */
async function attempt(url: URL, path: string, { signal, onProgress, maxBytes }: DownloadOptions): Promise<boolean> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(`no data for ${SILENCE / 1000} s`)), SILENCE);
  try {
    const present = sizeOf(path);
    const headers = { "accept-encoding": "identity", ...(present > 0 && { range: `bytes=${present}-` }) };
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, silence.signal]) });
    const range = contentRange(response);
    if (response.status === 416 && present > 0) {
      await response.body?.cancel();
      if (range?.total === present) return true;
      rmSync(path);
      return false;
    }
    requireContent(url, response);
    const isRest = response.status === 206 && range?.start === present;
    let bytes = isRest ? present : 0;
    const length = response.headers.get("content-length");
    const total = length === null ? range?.total : bytes + Number(length);
    await write(path, isRest, response.body ?? [], (chunk) => {
      timer.refresh();
      bytes += chunk.length;
      if (maxBytes !== undefined && bytes > maxBytes) throw failed(url, `it is larger than ${maxBytes} bytes`);
      onProgress(bytes, total);
    });
    return true;
  } finally {
    clearTimeout(timer);
  }
}

/** Appends chunks to a file, or replaces it. What arrives before an error is kept; a failure to write is final. */
async function write(
  path: string,
  isAppended: boolean,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const file = createWriteStream(path, { flags: isAppended ? "a" : "w" });
  const closed = new Promise<void>((resolve, reject) => {
    file.once("close", resolve);
    file.once("error", ({ message: reason }) => reject(new CliError({ code: "FILE_UNWRITABLE", path, reason })));
  });
  closed.catch(() => undefined);
  try {
    for await (const chunk of chunks) {
      onChunk(chunk);
      if (!file.write(chunk)) await Promise.race([closed, once(file, "drain")]);
    }
  } finally {
    file.end();
    await closed;
  }
}

function requireContent(url: URL, { ok, status }: Response): void {
  if (ok) return;
  const reason = `the server answered with status ${status}`;
  if (status >= 500 || status === 429) throw new Error(reason);
  throw failed(url, reason);
}

/** Of `bytes 5-9/10`, or `bytes * /10` of a range that does not exist. */
function contentRange({ headers }: Response): { start: number; total: number | undefined } | undefined {
  const match = headers.get("content-range")?.match(/^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/);
  if (!match) return undefined;
  return { start: Number(match[1]), total: match[2] === "*" ? undefined : Number(match[2]) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function failed(url: URL, reason: string): CliError {
  return new CliError({ code: "DOWNLOAD", url: url.href, reason });
}
