import { CambiumError } from "@cambium/primitives";
import { ChainError } from "../errors.js";
import { faultSubject } from "../faults.js";
import type { ImportResult } from "../interface.js";

/** Milliseconds for which the result of a search stands: it reads the whole database, and blocks of others can cause it. */
const PAUSE = 6 * 60 * 60 * 1_000;

/**
 * Verifies the tables of the database when a block appears to be invalid, or an import fails: LevelDB does not verify what it reads, so
 * that a damaged table looks like a fault of the block or of this program.
 */
export class DamageSearch {
  private latest: { begun: number; result: Promise<void> } | undefined;

  constructor(
    /** Rejects with `DatabaseError` `DATABASE_FILES` if a table is damaged. */
    private readonly verify: () => Promise<void>,
    /** Milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The result of an import, after a search if it may be due to damage. Rejects as the import and the search do. */
  async explain(importing: Promise<ImportResult>): Promise<ImportResult> {
    let result: ImportResult;
    try {
      result = await importing;
    } catch (error) {
      if (error instanceof ChainError && isUnexpected(error)) await this.search();
      throw error;
    }
    if (result.kind === "invalid" && faultSubject(result.fault) === "block") await this.search();
    return result;
  }

  private async search(): Promise<void> {
    const now = this.now();
    if (this.latest === undefined || now - this.latest.begun >= PAUSE) {
      this.latest = { begun: now, result: this.verify() };
    }
    try {
      await this.latest.result;
    } catch (error) {
      // A file that cannot be read says nothing about the block.
      if (error instanceof CambiumError) throw error;
    }
  }
}

function isUnexpected({ code }: ChainError): boolean {
  return code === "INTERNAL_FAULT" || code === "DATABASE_DAMAGED";
}
