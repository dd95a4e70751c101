import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { type Chain, openChain } from "@cambium/chain";
import { checkDatabase } from "@cambium/chain-maintenance";
import type { NetworkConfig } from "@cambium/config";
import { databasePath, openLevelDatabase } from "@cambium/database";
import { toData } from "@cambium/primitives";
import { spawnCli } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";

/** A command that writes a chain to a data folder until its best block is `best`. */
export interface Writing {
  command: readonly string[];
  /** Expected exit statuses: 0 by default. An import has 1 if blocks are rejected, possibly only the first time. */
  statuses?: readonly number[];
  dataDir: string;
  network: NetworkConfig;
  best: string;
}

/**
 * Runs a command and kills it with SIGKILL repeatedly. Each time the database must be intact and have at least as many
 * blocks as before. A complete chain is deleted, since there would be nothing left to interrupt.
 */
export async function killOften(
  times: number,
  { command, statuses = [0], dataDir, network, best }: Writing,
): Promise<void> {
  const moments = new KillMoments();
  let before = NOTHING;
  let midway = 0;
  for (let kill = 0; kill < times; kill++) {
    const hasEnded = await runAndKill(moments.next(), command, statuses);
    const reached = await reachedBlock(dataDir, network);
    const hasWritten = reached.blocks > before.blocks;
    const isComplete = reached.hash === best;
    assert.ok(
      reached.blocks >= before.blocks,
      `${before.blocks} blocks before kill ${kill}, ${reached.blocks} after it`,
    );
    assert.ok(isComplete || !hasEnded, "the command ended early");
    moments.learn(hasWritten);
    if (hasWritten && !isComplete) midway++;
    before = isComplete ? NOTHING : reached;
    if (isComplete) rmSync(dataDir, { recursive: true });
  }
  if (times >= 20) assert.notEqual(midway, 0, "no kill came while blocks were written");
}

/**
 * Random moments at which to kill a process. They adapt to the speed of the machine, so that about two thirds of them
 * come while the process writes blocks.
 */
class KillMoments {
  private latest = 1000;
  private isNear = false;
  private readonly chance = random(SEED);

  /** Milliseconds after the start; never the first part, in which no database is open yet. */
  next(): number {
    return this.latest * (0.5 + this.chance() / 2);
  }

  learn(hasWritten: boolean): void {
    const later = this.isNear ? 1.25 : 2;
    this.latest *= hasWritten ? 0.88 : later;
    this.isNear ||= hasWritten;
  }
}

/** Whether the command ended, with an expected status, before it was killed. */
function runAndKill(afterMs: number, command: readonly string[], expected: readonly number[]): Promise<boolean> {
  const child = spawnCli(...command);
  let errors = "";
  child.stdout!.resume();
  child.stderr!.on("data", (text) => (errors += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  return new Promise((resolve, reject) => {
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") resolve(false);
      else if (expected.includes(status!)) resolve(true);
      else reject(new Error(`${command[0]} ended with status ${status}: ${errors}`));
    });
  });
}

/** Content of the database in a data folder. */
interface Reached {
  /** Hash of the best block. */
  hash: string;
  /** Number of stored blocks, without genesis. */
  blocks: number;
}

const NOTHING: Reached = { hash: "", blocks: 0 };

/** The content of a database after a process was killed; fails unless a deep check passes. */
export async function reachedBlock(dataDir: string, network: NetworkConfig): Promise<Reached> {
  const path = databasePath(dataDir);
  if (!existsSync(path)) return NOTHING;
  const database = await openLevelDatabase(path, { create: true });
  let chain: Chain | undefined;
  try {
    chain = await openChain({ network, database });
    const { problems, blocks } = await checkDatabase(database, network, { deep: true });
    assert.deepEqual(problems, []);
    return { hash: toData(chain.best().hash), blocks: blocks - 1 };
  } finally {
    await (chain ?? database).close();
  }
}
