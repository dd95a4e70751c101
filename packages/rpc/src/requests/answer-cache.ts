import { JsonText, type Reads } from "@cambium/api";
import type { ChainReader } from "@cambium/chain";
import { equalBytes, measuredCache } from "@cambium/primitives";

/** Maximum number of characters of all answers together, and of the longest one that is kept. */
const MAX_CHARACTERS = 16_777_216;
const MAX_LENGTH = 1_048_576;
/** Overhead of an answer besides its text and key, in characters. */
const ENTRY = 200;
const ANSWERS = measuredCache("rpc answers");

/** Text in every request for the pending block. */
export const PENDING = '"pending"';
/** Maximum length of the parameters; longer ones are not worth keeping. */
const MAX_KEY_LENGTH = 4_096;

/** Identifies a request by its parameters as text; undefined if its answer should not be kept. */
export function cacheKey(name: string, params: unknown): string | undefined {
  const text = JSON.stringify(params) ?? "";
  if (text.length > MAX_KEY_LENGTH || text.includes(PENDING)) return undefined;
  return name + text;
}

/**
 * Answers that depend only on their request and the best block, as text. Many clients request the newest blocks,
 * receipts and logs, and reading and serialising them costs more than everything else. All answers are forgotten when
 * the best block changes.
 */
export class AnswerCache {
  /** Answers in the order of their last use. */
  private readonly answers = new Map<string, JsonText>();
  private characters = 0;
  /** Hash of the block to which all answers belong. */
  private best: Uint8Array;

  constructor(
    private readonly chain: Pick<ChainReader, "best">,
    private readonly maxCharacters = MAX_CHARACTERS,
  ) {
    this.best = chain.best().hash;
  }

  /**
   * Returns the answer to the request that `key` names, and computes it unless it is known. Returns a promise if
   * `compute` does. Answers of a method that also reads the pool are kept if they are mined transactions, which do not
   * depend on it.
   */
  answer(key: string, compute: () => unknown, reads: Reads = "chain"): unknown {
    const best = this.chain.best().hash;
    if (!equalBytes(best, this.best)) this.clear(best);
    const known = this.answers.get(key);
    if (known !== undefined) {
      // The order does not matter while there is much room, and keeping it costs as much as the look-up.
      if (this.characters > this.maxCharacters / 2) {
        this.answers.delete(key);
        this.answers.set(key, known);
      }
      return ANSWERS.hit(known);
    }
    ANSWERS.miss();
    const result = compute();
    const keep = (value: unknown) => (reads === "chain" || isMined(value) ? this.keep(key, value, best) : value);
    return result instanceof Promise ? result.then(keep) : keep(result);
  }

  private clear(best: Uint8Array): void {
    this.answers.clear();
    this.characters = 0;
    this.best = best;
  }

  /** Keeps an answer, except an empty one, which may change: by a block of a side chain, for example. */
  private keep(key: string, result: unknown, best: Uint8Array): unknown {
    if (result === null || result === undefined) return result;
    const answer = result instanceof JsonText ? result : new JsonText(JSON.stringify(result));
    // The best block may have changed during the computation, or another request may have been answered.
    const isCurrent = equalBytes(this.best, best) && equalBytes(this.chain.best().hash, best);
    if (isCurrent && answer.text.length <= MAX_LENGTH && !this.answers.has(key)) this.add(key, answer);
    return answer;
  }

  private add(key: string, answer: JsonText): void {
    this.answers.set(key, answer);
    this.characters += size(key, answer);
    for (const [oldest, evicted] of this.answers) {
      if (this.characters <= this.maxCharacters) break;
      this.answers.delete(oldest);
      this.characters -= size(oldest, evicted);
    }
  }
}

/** Whether an answer is a transaction in a block. The block hash of other transactions is null. */
function isMined(value: unknown): boolean {
  return typeof value === "object" && typeof (value as { blockHash?: unknown } | null)?.blockHash === "string";
}

function size(key: string, { text }: JsonText): number {
  return key.length + text.length + ENTRY;
}
