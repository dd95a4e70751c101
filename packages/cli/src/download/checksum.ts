import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { fetchFailure } from "@cambium/primitives";
import type { Response } from "undici";
import { CliError, invalid } from "../errors.js";
import { readText } from "../options.js";
import { httpGet } from "./http-get.js";

/** Time limit for the checksum file of a URL, in milliseconds. */
const PATIENCE = 60_000;
/** Bytes of the longest beginning of a checksum file that is read from a URL. */
const MAX_LENGTH = 4096;

/**
 * Returns the SHA-256 that a block file must have, as lower-case hex: `given`, or the one in the file next to it, whose
 * name ends in `.sha256`. A URL of http requires `given`, because whoever can change the file can change its checksum
 * file. Rejects with {@link CliError} `CHECKSUM_MISSING`, `INVALID_OPTION` or `DOWNLOAD`.
 */
export async function expectedChecksum(source: string | URL, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (/^[\da-f]{64}$/i.test(given)) return given.toLowerCase();
    throw invalid("--sha256", given, "64 hexadecimal digits");
  }
  const beside = source instanceof URL ? await besideUrl(source) : besideFile(source);
  const checksum = beside?.match(/^[\da-f]{64}(?=\s|$)/i)?.[0];
  if (checksum !== undefined) return checksum.toLowerCase();
  throw new CliError({ code: "CHECKSUM_MISSING", source: String(source) });
}

function besideFile(file: string): string | undefined {
  const path = `${file}.sha256`;
  return existsSync(path) ? readText(path) : undefined;
}

async function besideUrl(url: URL): Promise<string | undefined> {
  if (url.protocol !== "https:") return undefined;
  const beside = new URL(url);
  beside.pathname += ".sha256";
  try {
    const response = await httpGet(beside, { signal: AbortSignal.timeout(PATIENCE) });
    return response.ok ? await beginning(response) : undefined;
  } catch (error) {
    throw new CliError({ code: "DOWNLOAD", url: beside.href, reason: fetchFailure(error) });
  }
}

/** The first {@link MAX_LENGTH} bytes of a response; the rest is not read. */
async function beginning({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_LENGTH) break;
  }
  return Buffer.concat(chunks).toString("latin1", 0, MAX_LENGTH);
}

/** SHA-256 of a file as hex. An aborted `signal` makes it reject. `onProgress` is given bytes. */
export async function checksumOf(
  file: string,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<string> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20, signal })) {
    hash.update(chunk);
    bytes += chunk.length;
    onProgress(bytes);
  }
  return hash.digest("hex");
}
