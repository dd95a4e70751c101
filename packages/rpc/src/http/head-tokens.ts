import { setTimeout as delay } from "node:timers/promises";
import { invalidRequest, RpcError } from "@cambium/api";
import { type ChainReader, isBetter } from "@cambium/chain";
import { fromHex, toData } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";

/**
 * Header with which a response names the best block that it may show, and a request the one that it must not fall
 * behind.
 */
export const HEAD_HEADER = "x-head";

const TOKEN = /^\d{1,15}-(0x[0-9a-f]{64})$/;
/** Milliseconds between two checks whether a block has arrived. */
const INTERVAL = 5;

/**
 * The best block as text, `NUMBER-HASH`. A client that returns the token of an earlier answer never receives older
 * data, whichever replica answers.
 */
export class HeadTokens {
  private latest: { hash: Uint8Array; token: string } | undefined;

  constructor(
    private readonly chain: Pick<ChainReader, "best" | "headerByHash" | "isOnBestChain" | "totalDifficulty">,
    /** Milliseconds for which a request waits for its block. */
    private readonly wait: number,
  ) {}

  /** Returns the token. Read it after the answer was computed, which then shows no later block. */
  current(): string {
    const { hash, header } = this.chain.best();
    if (this.latest?.hash !== hash) this.latest = { hash, token: `${header.number}-${toData(hash)}` };
    return this.latest.token;
  }

  /** Resolves to undefined once the block of a token is reached, otherwise to the error for the client. */
  async refusal(token: unknown): Promise<RpcError | undefined> {
    if (token === undefined) return undefined;
    const hex = typeof token === "string" ? TOKEN.exec(token)?.[1] : undefined;
    if (hex === undefined) return invalidRequest(`expected a header ${HEAD_HEADER}: <number>-<hash>, as in a response`);
    const hash = fromHex(hex);
    const end = performance.now() + this.wait;
    while (!this.isReached(hash)) {
      if (performance.now() > end) {
        const text = `The block ${token} was not reached within ${this.wait} ms; repeat the request, or ask another node`;
        return new RpcError({ code: "HEAD_NOT_REACHED", text });
      }
      await delay(INTERVAL);
    }
    return undefined;
  }

  /** Whether the best block is the token's, a descendant, or one that was preferred to it. */
  private isReached(hash: Uint8Array): boolean {
    const { chain } = this;
    const header = chain.headerByHash(hash);
    const totalDifficulty = chain.totalDifficulty(hash);
    if (header === undefined || totalDifficulty === undefined) return false;
    const best = chain.best();
    if (header.number <= best.header.number && chain.isOnBestChain(hash)) return true;
    return isBetter(
      { totalDifficulty: best.totalDifficulty, paidFees: best.header.paidFees, hash: best.hash },
      { totalDifficulty, paidFees: header.paidFees, hash },
    );
  }
}

/** Creates the tokens; undefined for a node without replicas. */
export function headTokens({ headWait }: Pick<RpcConfig, "headWait">, chain: ChainReader): HeadTokens | undefined {
  return headWait === undefined ? undefined : new HeadTokens(chain, headWait);
}
