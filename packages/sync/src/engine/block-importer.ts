import { type BlockFault, faultSubject, type ImportResult } from "@cambium/chain";
import { type Clock, toHex } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { SyncChain } from "../interface.js";
import { Wakeup } from "../shared/wakeup.js";
import type { BodyDownload, DownloadedBlock } from "./body-download.js";
import type { PeerCoordinator } from "./peer-coordinator.js";

/** Maximum number of imports in flight: enough to keep the import thread busy. */
const IN_FLIGHT = 8;

export interface BlockImporterParts {
  chain: Pick<SyncChain, "import" | "rememberInvalid">;
  coordinator: PeerCoordinator;
  clock: Clock;
  /** Called for each block, imported now or before, in any order. */
  onImported: (header: BlockHeader) => void;
}

/** Passes blocks to the chain in order, with a few imports in flight. */
export class BlockImporter {
  private inFlight = 0;
  private failure: unknown;
  private readonly answered: Wakeup;

  constructor(private readonly parts: BlockImporterParts) {
    this.answered = new Wakeup(parts.clock);
  }

  get isImporting(): boolean {
    return this.inFlight > 0;
  }

  /**
   * Imports all downloaded blocks. Settles only when no import is in flight. Rejects with {@link SyncError} if a block
   * is rejected, after reporting the peers that offered it, or with the chain's error.
   */
  async importAll(bodies: BodyDownload, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        if (this.failure !== undefined) throw this.failure;
        const block = await bodies.next(signal);
        if (block === undefined) break;
        this.begin(block, bodies);
        await this.until(() => this.inFlight < IN_FLIGHT || this.failure !== undefined);
      }
    } finally {
      await this.until(() => this.inFlight === 0);
    }
    if (this.failure !== undefined) throw this.failure;
  }

  /** Resolves when a condition holds. Cannot be aborted: every import in flight must settle first. */
  private async until(condition: () => boolean): Promise<void> {
    const never = new AbortController().signal;
    while (!condition()) await this.answered.wait(60_000, never);
  }

  private begin(block: DownloadedBlock, bodies: BodyDownload): void {
    this.inFlight++;
    this.parts.chain
      .import({ bytes: block.encoded, header: block.header, isBodyChecked: true, source: "sync" })
      .then((result) => this.settle(block, result))
      .catch((error: unknown) => {
        this.failure ??= error;
      })
      .finally(() => {
        this.inFlight--;
        bodies.release(block);
        this.answered.notify();
      });
  }

  private async settle(block: DownloadedBlock, result: ImportResult): Promise<void> {
    // Blocks after a rejected one lack their parent.
    if (this.failure !== undefined) return;
    const { header } = block;
    switch (result.kind) {
      case "imported-best":
      case "imported-side":
      case "already-known":
        this.parts.onImported(header);
        return;
      case "missing-parent":
        throw new SyncError({ code: "NOT_JUDGED", number: header.number, fault: "missing-parent" });
      case "invalid":
        this.failure = await this.refused(block, result.fault);
    }
  }

  private async refused({ header, sources }: DownloadedBlock, fault: BlockFault): Promise<SyncError> {
    const { chain, coordinator } = this.parts;
    const { hash, number } = header;
    const subject = faultSubject(fault);
    if (subject === "node") return new SyncError({ code: "NOT_JUDGED", number, fault: fault.code });
    if (subject === "block") await chain.rememberInvalid(hash);
    for (const id of sources) coordinator.exclude(id, "INVALID_BLOCK", `block ${number} ${toHex(hash)}: ${fault.code}`);
    return new SyncError({ code: "INVALID_BLOCK", number, hash, fault: fault.code });
  }
}
