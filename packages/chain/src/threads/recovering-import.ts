import type { BlockInput } from "../import/block-input.js";
import type { Chain } from "../import/chain.js";
import type { ImportResult } from "../interface.js";
import { SenderRecovery } from "./sender-recovery.js";

/** Blocks with the recovering thread at one time: it needs no more to stay ahead, and each is copied to it. */
const MAX_AHEAD = 64;

/**
 * Imports encoded blocks into a chain in this thread. While one executes, the signers of those in line behind it are
 * recovered in a further thread, which starts when there is a line for the first time.
 */
export class RecoveringImport {
  private recovery: SenderRecovery | undefined;
  /** Settles when the last block offered has its signers and its place in the chain's own line. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly ahead: Promise<unknown>[] = [];
  private underWay = 0;

  constructor(private readonly chain: Pick<Chain, "import">) {}

  /**
   * As `Chain.import`, in the order of the calls. Rejects with `ThreadError` too.
   */
  async import(input: BlockInput): Promise<ImportResult> {
    const ready = Promise.all([input.senders ?? this.senders(input.bytes), this.turn]);
    const result = ready.then(([senders]) => this.chain.import({ ...input, senders }));
    this.turn = ready.catch(() => undefined);
    this.underWay++;
    try {
      return await result;
    } finally {
      this.underWay--;
    }
  }

  /** A block that nothing is ahead of executes at once: its signers are recovered on the way. */
  private senders(encoded: Uint8Array): Promise<Uint8Array> | undefined {
    if (this.underWay === 0) return undefined;
    const room = this.ahead.length < MAX_AHEAD ? undefined : this.ahead.shift();
    const senders = this.recover(encoded, room);
    this.ahead.push(senders.catch(() => undefined));
    return senders;
  }

  private async recover(encoded: Uint8Array, room: Promise<unknown> | undefined): Promise<Uint8Array> {
    await room;
    this.recovery ??= new SenderRecovery();
    const [senders] = await this.recovery.recover([encoded]);
    return senders!;
  }

  /** To be called when nothing is under way any more. */
  async close(): Promise<void> {
    await this.recovery?.close();
  }
}
