/** Settings of the pool. The first group is the deployed client's (`spec/08 §1`), with its defaults. */
export interface PoolOptions {
  /** Age in blocks and in seconds at which a transaction expires; a time of 0 or less disables the latter. */
  maxAgeBlocks: number;
  maxAgeSeconds: number;
  /** Minimum price increase of a replacement in per cent. */
  gasPriceBump: number;
  /** Number of nonces after the account's that it may use. */
  accountSlots: number;
  /** Whether accounts are limited by a quota of virtual gas (`spec/08 §6`). */
  rateLimit: boolean;
  /** Seconds between clean-ups of the quotas; 0 or less disables them. */
  quotaCleanSeconds: number;
  gasPriceCalculator: "plain-percentile" | "weighted-percentile";
  /**
   * Multiples of the best block's minimum gas price: lower bound of the fee market's price, and price without a market.
   */
  gasPriceMultiplier: number;
  minGasPriceMultiplier: number;

  /** Caps (`spec/08 §12`): number and size in bytes of all transactions, and number of queued ones. */
  maxTransactions: number;
  maxBytes: number;
  maxQueued: number;
  /** Maximum number of accounts with a stored quota. */
  maxQuotaAccounts: number;
  /** Maximum number of cached senders. */
  senderCacheSize: number;
  /** Maximum gas for computing the pending state, in gas limits of the best block. */
  pendingStateBlocks: number;
}

export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  maxAgeBlocks: 10,
  maxAgeSeconds: 650,
  gasPriceBump: 40,
  accountSlots: 16,
  rateLimit: true,
  quotaCleanSeconds: 1800,
  gasPriceCalculator: "plain-percentile",
  gasPriceMultiplier: 1.1,
  minGasPriceMultiplier: 1.1,
  maxTransactions: 20_000,
  maxBytes: 256 * 1024 * 1024,
  maxQueued: 4_000,
  maxQuotaAccounts: 400_000,
  senderCacheSize: 20_000,
  pendingStateBlocks: 10,
};
