import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { InstalledState } from "@cambium/chain-maintenance";
import type { PublishedStateConfig } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import { withNewDatabase } from "../database.js";
import { checksumOf } from "../download/checksum.js";
import { type DownloadOptions, download } from "../download/download.js";
import { CliError, explainCliError } from "../errors.js";
import { makeDataFolder } from "../private-files.js";
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
  const file = await whileLocked(options.dataDir, () => {
    removeOtherDownloads(options.dataDir, toHex(hash));
    return downloadAny(urls, toHex(hash), options);
  });
  const installed = await installArchive(file, origin, options);
  rmSync(file, { force: true });
  return { installed, origin };
}

/** Runs `use` while the database is locked, so that no second command downloads into the same file. */
export function whileLocked<T>(dataDir: string, use: () => Promise<T>): Promise<T> {
  return withNewDatabase(dataDir, use);
}

/** Deletes interrupted downloads of other archives. */
function removeOtherDownloads(dataDir: string, expected: string): void {
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    const path = join(dataDir, entry.name);
    const isDownload = entry.isFile() && /^bootstrap-[\da-f]{64}$/.test(entry.name);
    if (isDownload && path !== downloadPath(dataDir, expected)) rmSync(path);
  }
}

function downloadPath(dataDir: string, checksum: string): string {
  return join(dataDir, `bootstrap-${checksum}`);
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
 * Downloads a file into the data folder, or the rest of it, and verifies its checksum. Returns its path. Callers hold
 * the lock ({@link whileLocked}). Rejects with {@link CliError} `DOWNLOAD` or `CHECKSUM`, or if the signal aborts.
 */
export async function downloadVerified(
  url: URL,
  expected: string,
  dataDir: string,
  options: Pick<InstallOptions, "progress"> & Pick<DownloadOptions, "signal" | "maxBytes">,
): Promise<string> {
  const { progress, ...limits } = options;
  const file = downloadPath(dataDir, expected);
  makeDataFolder(dataDir);
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
  return file;
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
