import { once } from "node:events";
import { createWriteStream, rmSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fetchFailure } from "@cambium/primitives";
import type { Response } from "undici";
import { CliError } from "../errors.js";
import { reasonAndRemedy } from "../system-errors.js";
import { httpGet } from "./http-get.js";

/**
 * Number of consecutive slow attempts after which the download fails, and milliseconds before the second one; each
 * pause doubles.
 */
const ATTEMPTS = 5;
const FIRST_PAUSE = 500;

/** Bytes that must arrive in each span of this many milliseconds. */
export interface MinimumRate {
  bytes: number;
  milliseconds: number;
}

/** 16 KiB a second. A server that sends a byte now and then would otherwise hold the download forever. */
const MINIMUM_RATE: MinimumRate = { bytes: 16 * 1024 * 60, milliseconds: 60_000 };

export interface DownloadOptions {
  signal: AbortSignal;
  /** Called with the bytes so far and their total; the total is undefined if the server does not state it. */
  onProgress: (bytes: number, total: number | undefined) => void;
  /** Maximum size of the file, in bytes. */
  maxBytes: number;
  minimumRate?: MinimumRate;
  /** Milliseconds. */
  firstPause?: number;
}

/** Identity of a file on a server. If it changes, parts from before and after do not fit together. */
interface FileVersion {
  etag: string | undefined;
  total: number | undefined;
}

/**
 * Downloads a file to `path`, and continues after an existing part. If the server cannot continue, or has another file
 * now, it sends the whole file. Lost connections are opened again. Rejects with {@link CliError} `DOWNLOAD`, or if
 * `signal` aborts; the part that has arrived is kept.
 */
export async function download(url: URL, path: string, options: DownloadOptions): Promise<void> {
  const { firstPause = FIRST_PAUSE, minimumRate: { bytes, milliseconds } = MINIMUM_RATE } = options;
  const version: FileVersion = { etag: undefined, total: undefined };
  let start = performance.now();
  for (let failures = 0; ; ) {
    const before = sizeOf(path);
    try {
      if (await attempt(url, path, version, options)) return;
    } catch (error) {
      if (options.signal.aborted || error instanceof CliError) throw error;
      const now = performance.now();
      const isSlow = sizeOf(path) - before < (bytes * (now - start)) / milliseconds;
      start = now;
      failures = isSlow ? failures + 1 : 0;
      if (failures === ATTEMPTS) throw failed(url, fetchFailure(error));
      await wait(firstPause * 2 ** failures, undefined, { signal: options.signal });
    }
  }
}

/** Makes one request. Returns whether the file is complete; otherwise the next attempt starts at its beginning. */
async function attempt(url: URL, path: string, version: FileVersion, options: DownloadOptions): Promise<boolean> {
  const { signal, onProgress, maxBytes, minimumRate } = options;
  const rate = new RateCheck(minimumRate ?? MINIMUM_RATE);
  try {
    const present = sizeOf(path);
    const range = present > 0 && { range: `bytes=${present}-`, ...(version.etag && { "if-range": version.etag }) };
    const headers = { "accept-encoding": "identity", ...range };
    const response = await httpGet(url, { headers, signal: AbortSignal.any([signal, rate.signal]) });
    const sent = contentRange(response);
    if (response.status === 416 && present > 0) {
      await response.body?.cancel();
      if (sent?.total === present) return true;
      rmSync(path);
      return false;
    }
    requireContent(url, response);
    const isRest = response.status === 206 && sent?.start === present;
    let bytes = isRest ? present : 0;
    const length = response.headers.get("content-length");
    const total = length === null ? sent?.total : bytes + Number(length);
    if (isRest && isOther(version, response, total)) {
      await response.body?.cancel();
      rmSync(path);
      throw new Error("the file has changed on the server");
    }
    Object.assign(version, { etag: etagOf(response), total });
    await write(path, isRest, response.body ?? [], (chunk) => {
      rate.count(chunk.length);
      bytes += chunk.length;
      if (bytes > maxBytes) throw failed(url, `it is larger than ${maxBytes} bytes`);
      onProgress(bytes, total);
    });
    return true;
  } finally {
    rate.end();
  }
}

/** Aborts its signal if fewer bytes than the minimum arrive in a span. */
class RateCheck {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private bytes = 0;

  constructor({ bytes, milliseconds }: MinimumRate) {
    this.timer = setInterval(() => {
      const reason = `less than ${bytes} bytes in ${milliseconds / 1000} s`;
      if (this.bytes < bytes) this.controller.abort(new Error(reason));
      this.bytes = 0;
    }, milliseconds);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  count(bytes: number): void {
    this.bytes += bytes;
  }

  end(): void {
    clearInterval(this.timer);
  }
}

function isOther(version: FileVersion, response: Response, total: number | undefined): boolean {
  const etag = etagOf(response);
  const differs = <T>(one: T | undefined, other: T | undefined) =>
    one !== undefined && other !== undefined && one !== other;
  return differs(version.etag, etag) || differs(version.total, total);
}

/** Returns a strong entity tag: a weak one does not guarantee that all bytes are the same. */
function etagOf({ headers }: Response): string | undefined {
  const etag = headers.get("etag");
  return etag?.startsWith('"') ? etag : undefined;
}

/**
 * Appends chunks to a file, or replaces it. Bytes that arrive before an error are kept; a failure to write is final.
 */
async function write(
  path: string,
  isAppended: boolean,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const file = createWriteStream(path, { flags: isAppended ? "a" : "w" });
  const closed = new Promise<void>((resolve, reject) => {
    file.once("close", resolve);
    file.once("error", (error) => {
      reject(new CliError({ code: "FILE_UNWRITABLE", path, reason: reasonAndRemedy(error) }));
    });
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

/** Parses `bytes 5-9/10`, or `bytes * /10` of a range that does not exist. */
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
