import type { BlockInput } from "../import/block-input.js";
import type { Chain } from "../import/chain.js";
import type { ImportResult } from "../interface.js";
import { SenderRecovery } from "./sender-recovery.js";

/** Maximum number of blocks passed to the recovery thread: enough to stay ahead, while each is copied. */
const MAX_AHEAD = 64;

/**
 * Imports encoded blocks into a chain in this thread. While a block executes, another thread recovers the signers of
 * the queued blocks; it is started when blocks are queued for the first time.
 */
export class RecoveringImport {
  private recovery: Pick<SenderRecovery, "recover" | "close"> | undefined;
  /** Settles when the last block has its signers and is queued in the chain. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly ahead: Promise<unknown>[] = [];
  private underWay = 0;

  constructor(
    private readonly chain: Pick<Chain, "import">,
    private readonly startRecovery: () => Pick<SenderRecovery, "recover" | "close"> = () => new SenderRecovery(),
  ) {}

  /** As `Chain.import`, in the order of the calls. */
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

  /** A block with none ahead of it executes at once and recovers its signers itself. */
  private senders(encoded: Uint8Array): Promise<Uint8Array | undefined> | undefined {
    if (this.underWay === 0) return undefined;
    const room = this.ahead.length < MAX_AHEAD ? undefined : this.ahead.shift();
    const senders = this.recover(encoded, room);
    this.ahead.push(senders);
    return senders;
  }

  /** Undefined if the thread fails: then the import recovers the signers, and a later block starts another thread. */
  private async recover(encoded: Uint8Array, room: Promise<unknown> | undefined): Promise<Uint8Array | undefined> {
    await room;
    this.recovery ??= this.startRecovery();
    const { recovery } = this;
    try {
      const [senders] = await recovery.recover([encoded]);
      return senders;
    } catch {
      if (this.recovery === recovery) {
        this.recovery = undefined;
        await recovery.close();
      }
      return undefined;
    }
  }

  /** Must be called only when no import is in flight. */
  async close(): Promise<void> {
    await this.recovery?.close();
  }
}
