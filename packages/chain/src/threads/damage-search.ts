import { ChainError } from "@cambium/chain-store";
import { CambiumError } from "@cambium/primitives";
import { faultSubject } from "../faults.js";
import type { BlockInput } from "../import/block-input.js";
import type { ImportResult } from "../interface.js";

/**
 * Milliseconds for which the result of a search remains valid: it reads the whole database, and peers' blocks can cause
 * it.
 */
const PAUSE = 6 * 60 * 60 * 1_000;

/**
 * Verifies the tables of the database when a block appears to be invalid, or an import fails. LevelDB does not verify
 * its reads, so that a damaged table looks like a fault of the block or of this program.
 */
export class DamageSearch {
  private latest: { begun: number; result: Promise<void> } | undefined;
  private isRunning = false;

  constructor(
    /** Rejects with `DatabaseError` `DATABASE_FILES` if a table is damaged. */
    private readonly verify: () => Promise<void>,
    /** Milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Returns the result of an import, after a search if it may be due to damage. Rejects as the import and the search
   * do. Blocks of gossip, few of which are imported at a time, are rejected with {@link ChainError} `UNDECIDED` if a
   * search for another block is running.
   */
  async explain(importing: Promise<ImportResult>, source: BlockInput["source"]): Promise<ImportResult> {
    let result: ImportResult;
    try {
      result = await importing;
    } catch (error) {
      if (error instanceof ChainError && isUnexpected(error)) await this.search();
      throw error;
    }
    if (result.kind === "invalid" && faultSubject(result.fault) === "block") {
      if (this.isRunning && source === "gossip") throw new ChainError({ code: "UNDECIDED" });
      await this.search();
    }
    return result;
  }

  private async search(): Promise<void> {
    const now = this.now();
    if (this.latest === undefined || now - this.latest.begun >= PAUSE) {
      this.isRunning = true;
      const result = this.verify().finally(() => {
        this.isRunning = false;
      });
      this.latest = { begun: now, result };
    }
    try {
      await this.latest.result;
    } catch (error) {
      // An unreadable file says nothing about the block.
      if (error instanceof CambiumError) throw error;
    }
  }
}

function isUnexpected({ code }: ChainError): boolean {
  return code === "INTERNAL_FAULT" || code === "DATABASE_DAMAGED";
}
