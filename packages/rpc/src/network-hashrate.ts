import type { ChainReader } from "@cambium/chain";

const HOUR_SECONDS = 3600;

/** Work of the best chain's blocks of the last hour, uncles included, by the second (`spec/09 §7.2`). */
export function networkHashrate(chain: ChainReader, nowSeconds: number): bigint {
  let work = 0n;
  for (let number = chain.best().header.number; number >= 0; number--) {
    const block = chain.blockByNumber(number);
    const timestamp = block?.header.timestamp ?? 0;
    if (block === undefined || timestamp > nowSeconds || timestamp < nowSeconds - HOUR_SECONDS) break;
    work += block.cumulativeDifficulty;
  }
  return work / BigInt(HOUR_SECONDS);
}
