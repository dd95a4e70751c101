import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLargeState } from "../scale/large-state.js";
import { inProcess } from "../scale/parts.js";
import { mineRandomBlocks } from "../scale/random-blocks.js";

const ENTRIES = 10_000;
const BLOCKS = 1_000;
/** Number of transactions in a typical block of main. */
const TRANSACTIONS = 3;

/** Small blocks on a state of ten thousand entries. */
export class SmallBlocks {
  private imports = 0;

  private constructor(private readonly folder: string) {}

  static async create(): Promise<SmallBlocks> {
    const blocks = new SmallBlocks(mkdtempSync(join(tmpdir(), "cambium-small-blocks-")));
    await createLargeState(blocks.state, ENTRIES, "flat");
    await mineRandomBlocks(blocks.state, blocks.file, { entries: ENTRIES, blocks: BLOCKS, transactions: TRANSACTIONS });
    return blocks;
  }

  /** Milliseconds of processor time that the import of a block takes, all threads included. */
  import(): number {
    const copy = join(this.folder, `copy-${this.imports++}`);
    cpSync(this.state, copy, { recursive: true });
    return (inProcess("import", [copy, this.file, "warm"]).cpuSeconds * 1_000) / BLOCKS;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get state(): string {
    return join(this.folder, "state");
  }

  private get file(): string {
    return join(this.folder, "blocks.txt");
  }
}
