import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { InstalledState } from "@cambium/chain-maintenance";
import type { PublishedStateConfig } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import { withNewDatabase } from "../database.js";
import { checksumOf } from "../download/checksum.js";
import { type DownloadOptions, download } from "../download/download.js";
import { CliError, explainCliError } from "../errors.js";
import { type ArchiveOrigin, type InstallOptions, installArchive } from "./install-archive.js";
import { Pace } from "./pace.js";
import { findArchive } from "./published-site.js";

/** Maximum size of an archive, in bytes: about sixteen times that of main in 2026. */
const MAX_ARCHIVE = 16 * 2 ** 30;

/**
 * Finds the newest archive that the signers of a site agree on, downloads and installs it. Tries its other addresses if
 * one fails. Rejects as `findArchive`, `downloadVerified` and `installArchive` do.
 */
export async function bootstrapPublished(
  site: PublishedStateConfig,
  options: InstallOptions,
): Promise<{ installed: InstalledState; origin: ArchiveOrigin }> {
  const { progress, signal } = options;
  const { urls, hash, height, signers, trusted } = await findArchive(site, signal, (text) => progress.note(text));
  progress.note(`published state after block ${height}: ${signers.length} of ${trusted} signers agree`);
  const origin = { height, signers: { valid: signers.length, trusted } };
  const file = await downloadAny(urls, toHex(hash), options);
  const installed = await installArchive(file, origin, options);
  rmSync(file, { force: true });
  return { installed, origin };
}

/** Downloads a file from the first of its addresses that serves it. */
async function downloadAny(urls: readonly URL[], expected: string, options: InstallOptions): Promise<string> {
  const [url, ...others] = urls;
  const { dataDir, progress, signal } = options;
  try {
    return await downloadVerified(url!, expected, dataDir, { progress, signal, maxBytes: MAX_ARCHIVE });
  } catch (error) {
    const isOfServer = error instanceof CliError && (error.code === "DOWNLOAD" || error.code === "CHECKSUM");
    if (!isOfServer || others.length === 0) throw error;
    progress.note(`${explainCliError(error)}; trying another address`);
    return downloadAny(others, expected, options);
  }
}

/**
 * Downloads a file into the data folder, or the rest of it, and verifies its checksum. Returns its path. Rejects with
 * {@link CliError} `DOWNLOAD` or `CHECKSUM`, with `DatabaseError` if another process uses the folder, or if the signal
 * aborts. The database is open meanwhile: its lock keeps a second download from writing into the same file. Deletes
 * interrupted downloads of other files.
 */
export async function downloadVerified(
  url: URL,
  expected: string,
  dataDir: string,
  options: Parameters<typeof downloadInto>[3],
): Promise<string> {
  const file = join(dataDir, `bootstrap-${expected}`);
  await withNewDatabase(dataDir, () => {
    removeOtherDownloads(dataDir, file);
    return downloadInto(file, url, expected, options);
  });
  return file;
}

function removeOtherDownloads(dataDir: string, file: string): void {
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    const path = join(dataDir, entry.name);
    if (entry.isFile() && /^bootstrap-[\da-f]{64}$/.test(entry.name) && path !== file) rmSync(path);
  }
}

async function downloadInto(
  file: string,
  url: URL,
  expected: string,
  options: Pick<InstallOptions, "progress"> & Pick<DownloadOptions, "signal" | "maxBytes">,
): Promise<void> {
  const { progress, ...limits } = options;
  const pace = new Pace();
  await download(url, file, {
    ...limits,
    onProgress: (bytes, total) =>
      progress.update(`downloaded ${megabytes(bytes)} MB${pace.bytes(bytes, total)}`, total && bytes / total),
  });
  progress.done();
  try {
    await requireChecksum(url.href, file, expected, options);
  } catch (error) {
    if (error instanceof CliError) rmSync(file, { force: true });
    throw error;
  }
}

/** Rejects with {@link CliError} `CHECKSUM`. */
export async function requireChecksum(
  source: string,
  file: string,
  expected: string,
  { progress, signal }: Pick<InstallOptions, "progress" | "signal">,
): Promise<void> {
  const { size } = statSync(file);
  const actual = await checksumOf(file, signal, (bytes) => progress.update("checksum", bytes / size));
  progress.done();
  if (actual !== expected) throw new CliError({ code: "CHECKSUM", source, expected, actual });
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
