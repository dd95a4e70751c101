import { closeSync, openSync, readSync } from "node:fs";
import type { InstalledState } from "@cambium/chain-maintenance";
import type { StateLayout } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { toData } from "@cambium/primitives";
import { withNewDatabase } from "../database.js";
import { CliError } from "../errors.js";
import type { ProgressLine } from "../output.js";
import { Pace } from "./pace.js";

/** Facts about an archive from outside its content. */
export interface ArchiveOrigin {
  /** Number of its newest block by the index. */
  height?: number;
  /** Numbers of signers whose signatures are valid, and of those that are trusted. */
  signers?: { valid: number; trusted: number };
}

/** Shows the current step. */
export type Progress = Pick<ProgressLine, "update" | "note" | "done">;

export interface InstallOptions {
  network: NetworkConfig;
  dataDir: string;
  layout: StateLayout | undefined;
  progress: Progress;
  signal: AbortSignal;
}

/** First bytes of a zip file. */
const ZIP = Buffer.from("PK");

/** Whether a file is an archive of published state, and not one of blocks. */
export function isArchive(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(ZIP.length);
    return readSync(file, start) === ZIP.length && start.equals(ZIP);
  } finally {
    closeSync(file);
  }
}

/** Whether a data folder has a chain above genesis, so that published state cannot be installed. */
export async function hasChain(options: Omit<InstallOptions, "progress" | "signal">): Promise<boolean> {
  const { network, dataDir, layout: stateLayout } = options;
  const { SnapshotInstaller } = await import("@cambium/chain");
  return !(await withNewDatabase(dataDir, async (database) => {
    const layout = stateLayout === undefined ? {} : { stateLayout };
    return (await SnapshotInstaller.open({ network, database, ...layout })).isPossible;
  }));
}

/**
 * Verifies and installs an archive. Rejects with {@link CliError} `CHAIN_EXISTS`, or as `installPublishedState` does.
 */
export async function installArchive(
  path: string,
  { height }: ArchiveOrigin,
  options: InstallOptions,
): Promise<InstalledState> {
  const { installPublishedState, openArchive } = await import("@cambium/chain-maintenance");
  const { network, dataDir, layout, progress, signal } = options;
  if (await hasChain(options)) throw new CliError({ code: "CHAIN_EXISTS", dataDir });
  const installed = await withNewDatabase(dataDir, async (database) =>
    installPublishedState(await openArchive(path), {
      network,
      database,
      folder: dataDir,
      signal,
      ...(height !== undefined && { height }),
      ...(layout !== undefined && { stateLayout: layout }),
      onProgress: phaseReport(progress),
    }),
  );
  progress.done();
  return installed;
}

const PHASES = { verify: "verifying the archive", install: "installing the state" } as const;

/** Shows each phase with its time left. */
function phaseReport(progress: Progress): (phase: keyof typeof PHASES, share: number) => void {
  const paces = new Map<string, Pace>();
  return (phase, share) => {
    const pace = paces.get(phase) ?? new Pace();
    paces.set(phase, pace);
    progress.update(`${PHASES[phase]}${pace.share(share)}`, share);
  };
}

/** The result as JSON. */
export function resultOf({ best, earliest }: InstalledState, { signers }: ArchiveOrigin) {
  const { number, hash, totalDifficulty } = best;
  return { block: number, hash: toData(hash), totalDifficulty, workVerifiedSince: earliest, signers: signers ?? null };
}

/** Describes the result: the basis on which the node now trusts the chain. */
export function textOf({ best, earliest }: InstalledState, { signers }: ArchiveOrigin): string {
  const by = signers === undefined ? "whoever gave the checksum" : `${signers.valid} of ${signers.trusted} signers`;
  return [
    `installed the state after block ${best.number} ${toData(best.hash)}`,
    `trust: ${by}; the work of blocks ${earliest} to ${best.number} and every node of the state were verified`,
  ].join("\n");
}
