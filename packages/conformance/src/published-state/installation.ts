import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chain, openChain } from "@cambium/chain";
import { type ArchiveData, installPublishedState, openArchive } from "@cambium/chain-maintenance";
import { MemoryDatabase } from "@cambium/database";
import { fromHex, keccak256, toData } from "@cambium/primitives";
import type { Comparison } from "../comparison.js";
import { describeResult } from "../import-outcome.js";
import { readLines } from "../lines.js";
import { RECORDED_LOCAL as network } from "../networks.js";
import type { ExpectedChain } from "./formats.js";

/** Expected result of the installation of an archive. */
export interface ExpectedInstallation {
  /** Number and hash of the newest block. */
  best?: string | undefined;
  chain?: ExpectedChain;
  /** File with the blocks that follow. */
  next?: string;
  /** Number of the newest block by the index. */
  height?: number;
}

/** Unpacked data, or a zip file. */
export async function openFile(path: string): Promise<ArchiveData> {
  if (!path.endsWith(".bin")) return openArchive(path);
  return { size: statSync(path).size, chunks: createReadStream(path) };
}

/**
 * Installs an archive into an empty database, compares the state, and imports the blocks that follow. Rejects as
 * `installPublishedState` does.
 */
export async function compareInstallation(
  comparison: Comparison,
  path: string,
  expected: ExpectedInstallation,
): Promise<void> {
  const database = new MemoryDatabase();
  const { height } = expected;
  await withFolder(async (folder) => {
    const options = { network, database, folder, ...(height !== undefined && { height }) };
    await installPublishedState(await openFile(path), options);
  });
  const chain = await openChain({ network, database });
  const { header, hash } = chain.best();
  if (expected.best !== undefined) comparison.equal("best", `${header.number} ${toData(hash)}`, expected.best);
  if (expected.chain !== undefined) compareState(comparison, chain, expected.chain);
  if (expected.next !== undefined) await importNext(comparison, chain, expected.next);
  await chain.close();
}

function compareState(comparison: Comparison, chain: Chain, { best, accounts, storage }: ExpectedChain): void {
  const { header, hash, totalDifficulty } = chain.best();
  const state = chain.stateAfter(hash)!;
  comparison
    .equal("number", header.number, best.number)
    .equal("hash", toData(hash), best.hash)
    .equal("state root", toData(state.root), best.stateRoot)
    .equal("total difficulty", totalDifficulty, best.totalDifficulty);
  for (const { address, balance, nonce, codeHash } of accounts) {
    const bytes = fromHex(address);
    const code = state.getCode(bytes);
    comparison
      .equal(`balance of ${address}`, state.getBalance(bytes), balance)
      .equal(`nonce of ${address}`, state.getNonce(bytes), nonce)
      .equal(`code of ${address}`, code.length === 0 ? "0x" : toData(keccak256(code)), codeHash);
  }
  for (const { address, slot, value } of storage) {
    const cell = state.getStorageBytes(fromHex(address), fromHex(slot));
    comparison.equal(`cell ${slot} of ${address}`, cell === undefined ? "0x" : toData(cell), value);
  }
}

async function importNext(comparison: Comparison, chain: Chain, next: string): Promise<void> {
  for await (const line of readLines(next)) {
    const [number, hash, stateRoot, rlp] = line.split(",") as [string, string, string, string];
    const result = await chain.import({ bytes: fromHex(rlp), source: "file" });
    comparison.equal(`import of block ${number}`, describeResult(result), "IMPORTED_BEST");
    const root = chain.stateAfter(fromHex(hash))?.root;
    comparison.equal(`state root of block ${number}`, root && toData(root), `0x${stateRoot}`);
  }
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "published-state-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
