import { existsSync, renameSync, rmSync } from "node:fs";
import { openReader } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { copyRunningDatabase, lockDatabase, openLevelDatabase } from "@cambium/database";

/** Content of a copy. */
export interface CopiedChain {
  best: { number: number; hash: Uint8Array };
}

export interface CopyOptions {
  network: NetworkConfig;
  /** Directories of the databases. */
  from: string;
  to: string;
}

export interface RestoreResult extends CopiedChain {
  /** New location of the database that was there before; undefined if there was none. */
  replaced: string | undefined;
}

/**
 * Copies the database of a chain, which a node may have open, to `to`, which must not exist. Opens the copy to verify
 * that its batches are complete. Rejects with `DatabaseError`, or `ChainError` `DATABASE_NETWORK`; `to` is then
 * removed.
 */
export async function backupDatabase({ network, from, to }: CopyOptions): Promise<CopiedChain> {
  await copyRunningDatabase(from, to);
  try {
    return await bestOf(network, to);
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Replaces the database in `to` by a copy of the one in `from`. A previous database is kept next to it. Rejects as
 * {@link backupDatabase} does, and with `DatabaseError` `DATABASE_OPEN` if a process has one of them open; nothing is
 * changed then.
 */
export async function restoreDatabase({ network, from, to }: CopyOptions): Promise<RestoreResult> {
  const unlock = existsSync(to) ? await lockDatabase(to) : async () => undefined;
  try {
    const working = `${to}.restoring`;
    rmSync(working, { recursive: true, force: true });
    const copied = await backupDatabase({ network, from, to: working });
    const replaced = existsSync(to) ? replacedPath(to) : undefined;
    if (replaced !== undefined) renameSync(to, replaced);
    renameSync(working, to);
    return { ...copied, replaced };
  } finally {
    await unlock();
  }
}

/** Returns the location at which a replaced database is kept. */
export function replacedPath(location: string): string {
  return `${location}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
}

async function bestOf(network: NetworkConfig, location: string): Promise<CopiedChain> {
  const database = await openLevelDatabase(location);
  try {
    const { header, hash } = openReader({ network, database }).best();
    return { best: { number: header.number, hash } };
  } finally {
    await database.close();
  }
}
