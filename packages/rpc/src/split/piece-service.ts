import { setTimeout as delay } from "node:timers/promises";
import type { ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import { RpcError, stateNotFound } from "../errors.js";
import type { HeavyExecutor } from "../heavy/heavy-executor.js";
import { Deadline } from "../limits.js";
import { presenceBy } from "../requests/client.js";
import { JsonText } from "../requests/json-text.js";
import { SERVED } from "./measurements.js";
import type { Piece } from "./piece.js";
import { pieceFromText } from "./piece-text.js";

/** Pieces of others that are searched at a time; further ones are refused. */
const MAX_PIECES = 8;
/** Milliseconds for which a piece waits for its last block, and between two looks. */
const WAIT = 1_000;
const INTERVAL = 10;
/** Milliseconds for a piece of a search without a time limit. */
const MAX_TIME = 600_000;

const LIMITS: readonly string[] = ["LOG_LIMIT", "LIMIT_EXCEEDED"];

/** Searches pieces for other nodes. */
export class PieceService {
  /** Number of pieces that are being searched. */
  load = 0;

  constructor(
    private readonly chain: Pick<ChainReader, "best" | "hashByNumber" | "headerByHash">,
    /** Must not cut searches itself. */
    private readonly heavy: HeavyExecutor,
  ) {}

  /**
   * The text of a piece's result; undefined if a limit is exceeded. `from` is the node that asks. Rejects if the piece is malformed, with {@link RpcError} if it cannot be searched
   * here, and when the signal aborts.
   */
  async search(text: string, from: string, timeout: number, signal: AbortSignal): Promise<string | undefined> {
    if (this.load >= MAX_PIECES) {
      SERVED.refused.add();
      throw new Error("too many pieces are being searched");
    }
    this.load++;
    try {
      const { task, request } = pieceFromText(text);
      const client = { identity: `pieces of ${from}`, share: `pieces of ${from}` };
      const deadline = Deadline.after(Math.min(timeout, MAX_TIME), presenceBy(signal), client);
      await this.reach({ task, request } as Piece, deadline);
      const result = await this.heavy.run(task, request as never, deadline);
      deadline.check();
      SERVED.answered.add();
      return result instanceof JsonText ? result.text : JSON.stringify(result);
    } catch (error) {
      SERVED[signal.aborted ? "cancelled" : "refused"].add();
      if (error instanceof RpcError && LIMITS.includes(error.code) && !signal.aborted) return undefined;
      throw error;
    } finally {
      this.load--;
    }
  }

  /** Waits a little for the last block. */
  private async reach(piece: Piece, deadline: Deadline): Promise<void> {
    const end = performance.now() + WAIT;
    while (!this.isReached(piece)) {
      if (performance.now() > end) throw stateNotFound("the last block has not arrived");
      await delay(INTERVAL);
      deadline.check();
    }
  }

  private isReached({ task, request }: Piece): boolean {
    if (task === "tracePiece") return this.chain.headerByHash(request.lastHash) !== undefined;
    const hash = this.chain.hashByNumber(request.whole.to);
    return hash !== undefined && equalBytes(hash, request.tip);
  }
}
