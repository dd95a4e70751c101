import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BlockTemplate, encodeTemplate, MinerError, type MinerServer } from "@cambium/miner";
import { plainBytes, toHex } from "@cambium/primitives";
import type { Logger } from "pino";

/** Number of templates on disk, the same as in memory (`spec/03 §6.6`). */
const KEPT = 20;
const FILE_NAME = /^[0-9a-f]{64}\.block$/;

/**
 * The templates of served work on disk, by their hash for merged mining, so that solutions are accepted after a
 * restart. A file truncated by a crash is no template, and is removed.
 */
export class KeptWork {
  /** Names of the files, oldest first. */
  private names: string[] = [];
  private writing: Promise<void> = Promise.resolve();
  private hasFailed = false;

  constructor(
    private readonly folder: string,
    private readonly logger: Logger,
  ) {}

  /** Makes a server accept solutions of the stored templates. */
  restore(server: Pick<MinerServer, "remember">): void {
    try {
      mkdirSync(this.folder, { recursive: true });
      const age = (name: string) => statSync(join(this.folder, name)).mtimeMs;
      const found = readdirSync(this.folder).filter((name) => FILE_NAME.test(name));
      for (const name of found
        .map((one) => [one, age(one)] as const)
        .sort((a, b) => a[1] - b[1])
        .map(([one]) => one)) {
        if (this.remembers(server, name)) this.names.push(name);
        else rmSync(join(this.folder, name));
      }
    } catch (error) {
      this.failed(error as Error);
    }
  }

  private remembers(server: Pick<MinerServer, "remember">, name: string): boolean {
    try {
      server.remember(plainBytes(readFileSync(join(this.folder, name))));
      return true;
    } catch (error) {
      if (error instanceof MinerError) return false;
      throw error;
    }
  }

  /** Writes a template in the background, and removes the oldest one beyond twenty. */
  keep(template: BlockTemplate): void {
    const name = `${toHex(template.hashForMergedMining)}.block`;
    if (this.names.includes(name)) return;
    this.names.push(name);
    const dropped = this.names.splice(0, this.names.length - KEPT);
    const path = join(this.folder, name);
    this.writing = this.writing
      .then(async () => {
        for (const one of dropped) rmSync(join(this.folder, one), { force: true });
        await writeFile(`${path}.new`, encodeTemplate(template));
        await rename(`${path}.new`, path);
      })
      .catch(async (error: Error) => {
        this.failed(error);
        await rm(`${path}.new`, { force: true }).catch(() => undefined);
      });
  }

  /** Resolves when all templates are written. */
  async close(): Promise<void> {
    await this.writing;
  }

  private failed(error: Error): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.logger.warn({ err: error, folder: this.folder }, "Work is not kept across restarts");
  }
}
