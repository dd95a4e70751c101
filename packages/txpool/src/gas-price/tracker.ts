import type { ChainReader } from "@cambium/chain";
import { bytesToBigint } from "@cambium/primitives";
import type { Block, Receipt } from "@cambium/types";
import type { PoolOptions } from "../options.js";
import { type Fraction, shortestDecimal, truncate } from "./decimal.js";
import { PlainPercentile, PRICE_WINDOW, type PriceCalculator, WeightedPercentile } from "./percentile.js";

/** A fee market exists if this many blocks are this full on average. */
const FULLNESS_WINDOW = 50;
const FULL = 0.9;
/** Minimum gas price before any block is known. */
const FIRST_PRICE = 20_000_000_000n;
/** Maximum number of blocks loaded at start. */
const MAX_BLOCKS_BACK = 2_000;

type TrackerOptions = Pick<PoolOptions, "gasPriceCalculator" | "gasPriceMultiplier" | "minGasPriceMultiplier">;

/** Tracks the gas prices of transactions (`spec/08 §9`). */
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

  /** Loads blocks of the best chain until the windows are full. */
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

  /** Adds any imported block, of the best chain or a side chain. */
  addBlock(block: Block, receipts: readonly Receipt[] | undefined): void {
    const { header, transactions } = block;
    this.lastMinimum = header.minimumGasPrice ?? 0n;
    if (this.fullness.length === FULLNESS_WINDOW) this.fullness.shift();
    this.fullness.push(header.gasUsed / Number(bytesToBigint(header.gasLimit)));
    for (const [index, { isReward, gasPrice }] of transactions.entries()) {
      if (!isReward) this.calculator.add(gasPrice, receipts?.[index]?.gasUsed);
    }
  }

  /** Adds a new best block. */
  setBest({ header }: Block): void {
    this.bestMinimum = header.minimumGasPrice ?? 0n;
  }

  /** Whether there is a fee market. */
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

  /** The price for `eth_gasPrice`: the fee market's price, or a multiple of the best block's minimum gas price. */
  price(minimumGasPrice: bigint): bigint {
    if (this.isFeeMarketWorking) return this.marketPrice();
    return priceOverMinimum(minimumGasPrice, this.options.minGasPriceMultiplier);
  }
}

/** Product in double arithmetic, whose shortest decimal form is truncated to an integer. */
export function priceOverMinimum(minimumGasPrice: bigint, multiplier: number): bigint {
  return truncate(shortestDecimal(Number(minimumGasPrice) * multiplier));
}
