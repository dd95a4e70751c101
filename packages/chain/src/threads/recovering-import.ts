import { areSendersComplete } from "@cambium/types";
import type { BlockInput } from "../import/block-input.js";
import type { Chain } from "../import/chain.js";
import type { ImportResult } from "../interface.js";
import { SenderRecovery } from "./sender-recovery.js";

/**
 * Imports encoded blocks into a chain in this thread. While a block executes, other threads recover the signers of the
 * queued blocks; they are started when blocks are queued for the first time.
 */
export class RecoveringImport {
  /** Settles when the last block has its signers and is queued in the chain. */
  private turn: Promise<unknown> = Promise.resolve();
  private inProgress = 0;

  constructor(
    private readonly chain: Pick<Chain, "import">,
    private readonly recovery: Pick<SenderRecovery, "recover" | "close"> = new SenderRecovery(),
  ) {}

  /** Works like `Chain.import`, in the order of the calls. */
  async import(input: BlockInput): Promise<ImportResult> {
    const ready = Promise.all([this.senders(input), this.turn]);
    const result = ready.then(([senders]) => this.chain.import({ ...input, senders }));
    this.turn = ready.catch(() => undefined);
    this.inProgress++;
    try {
      return await result;
    } finally {
      this.inProgress--;
    }
  }

  /**
   * Recovers the signers of a queued block in another thread. A block with an empty queue executes immediately and
   * recovers its signers itself.
   */
  private async senders({ bytes, senders }: BlockInput): Promise<Uint8Array | undefined> {
    if (this.inProgress === 0 || (senders !== undefined && areSendersComplete(senders))) return senders;
    return (await this.recovery.recover({ bytes, senders })) ?? senders;
  }

  /** Must be called only when no import is in flight. */
  close(): Promise<void> {
    return this.recovery.close();
  }
}
