import type { ChainReader } from "@cambium/chain";
import { bytesToBigint } from "@cambium/primitives";
import type { Block, BlockHeader, Receipt } from "@cambium/types";
import type { PoolOptions } from "../options.js";
import { type Fraction, shortestDecimal, truncate } from "./decimal.js";
import { PlainPercentile, PRICE_WINDOW, type PriceCalculator, WeightedPercentile } from "./percentile.js";

/** Number of blocks, and their average fullness above which a fee market exists. */
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
  /** Hashes of blocks whose transactions were not read yet, in order of arrival. */
  private readonly unread: Uint8Array[] = [];

  constructor(
    private readonly options: TrackerOptions,
    private readonly chain: Pick<ChainReader, "best" | "blockByHash" | "receipts">,
    /** Number of the lowest block that is read: a fork would have to request each lower one from its source. */
    private readonly firstBlock = 0,
  ) {
    this.calculator =
      options.gasPriceCalculator === "plain-percentile" ? new PlainPercentile() : new WeightedPercentile();
    this.multiplier = shortestDecimal(options.gasPriceMultiplier);
  }

  /** Loads blocks of the best chain until the windows are full. */
  start(): void {
    const { chain } = this;
    const blocks: Block[] = [];
    let transactions = 0;
    let block = chain.blockByHash(chain.best().hash);
    while (block !== undefined && blocks.length < MAX_BLOCKS_BACK) {
      blocks.push(block);
      transactions += block.transactions.filter(({ isReward }) => !isReward).length;
      if (block.number <= this.firstBlock || (transactions >= PRICE_WINDOW && blocks.length >= FULLNESS_WINDOW)) break;
      block = chain.blockByHash(block.header.parentHash);
    }
    for (const known of blocks.reverse()) {
      this.addHeader(known.header);
      this.addPrices(known, undefined);
    }
    if (blocks.length > 0) this.setBest(blocks.at(-1)!.header);
  }

  /**
   * Adds any imported block, on the best chain or not. Its body is read only if a price is requested while it counts.
   */
  addBlock(header: BlockHeader): void {
    this.addHeader(header);
    if (this.unread.length === MAX_BLOCKS_BACK) this.unread.shift();
    this.unread.push(header.hash);
  }

  private addHeader(header: BlockHeader): void {
    this.lastMinimum = header.minimumGasPrice ?? 0n;
    if (this.fullness.length === FULLNESS_WINDOW) this.fullness.shift();
    this.fullness.push(header.gasUsed / Number(bytesToBigint(header.gasLimit)));
  }

  private addPrices({ transactions }: Block, receipts: readonly Receipt[] | undefined): void {
    for (const [index, { isReward, gasPrice }] of transactions.entries()) {
      if (!isReward) this.calculator.add(gasPrice, receipts?.[index]?.gasUsed);
    }
  }

  /**
   * Reads the latest unread blocks, until their transactions fill the window and the price is computed again. A local
   * network may have deleted some of these blocks.
   */
  private readPrices(): void {
    const { chain } = this;
    const blocks: Block[] = [];
    let transactions = 0;
    for (let i = this.unread.length - 1; i >= 0 && transactions <= PRICE_WINDOW; i--) {
      const block = chain.blockByHash(this.unread[i]!);
      if (block === undefined) continue;
      blocks.push(block);
      transactions += block.transactions.filter(({ isReward }) => !isReward).length;
    }
    this.unread.length = 0;
    for (const block of blocks.reverse()) this.addPrices(block, chain.receipts(block.hash));
  }

  /** Adds a new best block. */
  setBest(header: BlockHeader): void {
    this.bestMinimum = header.minimumGasPrice ?? 0n;
  }

  /** Whether there is a fee market. */
  get isFeeMarketWorking(): boolean {
    const { fullness } = this;
    return fullness.length === FULLNESS_WINDOW && fullness.reduce((a, b) => a + b, 0) / FULLNESS_WINDOW >= FULL;
  }

  /** The fee market's price. */
  marketPrice(): bigint {
    this.readPrices();
    const price = this.calculator.price();
    if (price === undefined) return this.lastMinimum;
    const floor = (this.bestMinimum * this.multiplier.numerator) / this.multiplier.denominator;
    if (price < floor) return floor;
    return price;
  }

  /**
   * Returns the price for `eth_gasPrice`: the fee market's price, or a multiple of the best block's minimum gas price.
   */
  price(minimumGasPrice: bigint): bigint {
    if (this.isFeeMarketWorking) return this.marketPrice();
    return priceOverMinimum(minimumGasPrice, this.options.minGasPriceMultiplier);
  }
}

/** Returns the product in double arithmetic, whose shortest decimal form is truncated to an integer. */
export function priceOverMinimum(minimumGasPrice: bigint, multiplier: number): bigint {
  return truncate(shortestDecimal(Number(minimumGasPrice) * multiplier));
}
