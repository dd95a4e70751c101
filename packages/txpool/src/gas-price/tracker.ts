import type { ChainReader } from "@cambium/chain";
import { bytesToBigint } from "@cambium/primitives";
import type { Block, Receipt } from "@cambium/types";
import type { PoolOptions } from "../options.js";
import { type Fraction, shortestDecimal, truncate } from "./decimal.js";
import { PlainPercentile, PRICE_WINDOW, type PriceCalculator, WeightedPercentile } from "./percentile.js";

/** Blocks whose fullness tells whether gas has to be competed for, and how full they have to be on average. */
const FULLNESS_WINDOW = 50;
const FULL = 0.9;
/** Before any block is known. */
const FIRST_PRICE = 20_000_000_000n;
/** Looking back at the start ends here, however empty the blocks were. */
const MAX_BLOCKS_BACK = 2_000;

type TrackerOptions = Pick<PoolOptions, "gasPriceCalculator" | "gasPriceMultiplier" | "minGasPriceMultiplier">;

/** Watches what transactions pay (`spec/08 §9`). */
export class GasPriceTracker {
  private readonly calculator: PriceCalculator;
  private readonly multiplier: Fraction;
  private readonly fullness: number[] = [];
  private lastMinimum = FIRST_PRICE;
  private bestMinimum = 0n;

  constructor(private readonly options: TrackerOptions) {
    this.calculator =
      options.gasPriceCalculator === "plain-percentile" ? new PlainPercentile() : new WeightedPercentile();
    this.multiplier = shortestDecimal(options.gasPriceMultiplier);
  }

  /** Looks back on the best chain, as far as the windows reach. */
  start(chain: ChainReader): void {
    const blocks: Block[] = [];
    let transactions = 0;
    let block = chain.blockByHash(chain.best().hash);
    while (block !== undefined && blocks.length < MAX_BLOCKS_BACK) {
      blocks.push(block);
      transactions += block.transactions.filter(({ isReward }) => !isReward).length;
      if (block.number === 0 || (transactions >= PRICE_WINDOW && blocks.length >= FULLNESS_WINDOW)) break;
      block = chain.blockByHash(block.header.parentHash);
    }
    for (const known of blocks.reverse()) this.addBlock(known, undefined);
    if (blocks.length > 0) this.setBest(blocks.at(-1)!);
  }

  /** Any imported block, on the best chain or not. */
  addBlock(block: Block, receipts: readonly Receipt[] | undefined): void {
    const { header, transactions } = block;
    this.lastMinimum = header.minimumGasPrice ?? 0n;
    if (this.fullness.length === FULLNESS_WINDOW) this.fullness.shift();
    this.fullness.push(header.gasUsed / Number(bytesToBigint(header.gasLimit)));
    for (const [index, { isReward, gasPrice }] of transactions.entries()) {
      if (!isReward) this.calculator.add(gasPrice, receipts?.[index]?.gasUsed);
    }
  }

  /** A block that became the best one. */
  setBest({ header }: Block): void {
    this.bestMinimum = header.minimumGasPrice ?? 0n;
  }

  /** Whether gas has to be competed for. */
  get isFeeMarketWorking(): boolean {
    const { fullness } = this;
    return fullness.length === FULLNESS_WINDOW && fullness.reduce((a, b) => a + b, 0) / FULLNESS_WINDOW >= FULL;
  }

  /** The fee market's price. */
  marketPrice(): bigint {
    const price = this.calculator.price();
    if (price === undefined) return this.lastMinimum;
    const floor = (this.bestMinimum * this.multiplier.numerator) / this.multiplier.denominator;
    if (price < floor) return floor;
    return price;
  }

  /** What `eth_gasPrice` goes by, over the best block's minimum gas price. */
  price(minimumGasPrice: bigint): bigint {
    if (this.isFeeMarketWorking) return this.marketPrice();
    return priceOverMinimum(minimumGasPrice, this.options.minGasPriceMultiplier);
  }
}

/** Product in double arithmetic, whose shortest decimal form is then cut to an integer. */
export function priceOverMinimum(minimumGasPrice: bigint, multiplier: number): bigint {
  return truncate(shortestDecimal(Number(minimumGasPrice) * multiplier));
}
