import { type BlockFault, faultSubject, type ImportResult } from "@cambium/chain";
import { type Clock, toHex } from "@cambium/primitives";
import { SyncError } from "../errors.js";
import type { SyncChain } from "../interface.js";
import type { BodyDownload, DownloadedBlock } from "./body-download.js";
import type { PeerCoordinator } from "./peer-coordinator.js";
import { Wakeup } from "./wakeup.js";

/** Imports handed in and not answered: enough that the import never waits for us. */
const IN_FLIGHT = 8;

export interface BlockImporterModules {
  chain: Pick<SyncChain, "import" | "rememberInvalid">;
  coordinator: PeerCoordinator;
  clock: Clock;
  onImported: (number: number) => void;
}

/** Hands blocks to the chain in order, a few ahead of its answers. */
export class BlockImporter {
  private inFlight = 0;
  private failure: unknown;
  private readonly answered: Wakeup;

  constructor(private readonly modules: BlockImporterModules) {
    this.answered = new Wakeup(modules.clock);
  }

  get isImporting(): boolean {
    return this.inFlight > 0;
  }

  /**
   * Imports everything that is downloaded. Ends, well or not, when the chain has answered to all it was given. Rejects with
   * {@link SyncError} for a refused block, after those who offered it were reported, or the chain's own error.
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

  /** Not to be aborted: what the chain was given it will answer to. */
  private async until(condition: () => boolean): Promise<void> {
    const never = new AbortController().signal;
    while (!condition()) await this.answered.wait(60_000, never);
  }

  private begin(block: DownloadedBlock, bodies: BodyDownload): void {
    this.inFlight++;
    this.modules.chain
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
    // What follows a refused block lacks its parent.
    if (this.failure !== undefined) return;
    const { number } = block.header;
    switch (result.kind) {
      case "imported-best":
      case "imported-side":
      case "already-known":
        this.modules.onImported(number);
        return;
      case "missing-parent":
        throw new SyncError({ code: "NOT_JUDGED", number, fault: "missing-parent" });
      case "invalid":
        this.failure = await this.refused(block, result.fault);
    }
  }

  private async refused({ header, sources }: DownloadedBlock, fault: BlockFault): Promise<SyncError> {
    const { chain, coordinator } = this.modules;
    const { hash, number } = header;
    const subject = faultSubject(fault);
    if (subject === "node") return new SyncError({ code: "NOT_JUDGED", number, fault: fault.code });
    if (subject === "block") await chain.rememberInvalid(hash);
    for (const id of sources) coordinator.exclude(id, "INVALID_BLOCK", `block ${number} ${toHex(hash)}: ${fault.code}`);
    return new SyncError({ code: "INVALID_BLOCK", number, hash, fault: fault.code });
  }
}
