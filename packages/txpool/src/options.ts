/** Settings of the pool. The first group is the deployed client's (`spec/08 §1`), with its defaults. */
export interface PoolOptions {
  /** Age in blocks and in seconds at which a transaction leaves; a time of 0 or less turns that off. */
  maxAgeBlocks: number;
  maxAgeSeconds: number;
  /** By how many percent a replacement must pay more. */
  gasPriceBump: number;
  /** Nonces an account may use at a time. */
  accountSlots: number;
  /** Whether accounts have a quota of virtual gas (`spec/08 §6`). */
  rateLimit: boolean;
  /** Seconds between clean-ups of the quotas; 0 or less turns them off. */
  quotaCleanSeconds: number;
  gasPriceCalculator: "plain-percentile" | "weighted-percentile";
  /** Floor of the fee market's price over the best block's minimum, and the price without a fee market. */
  gasPriceMultiplier: number;
  minGasPriceMultiplier: number;

  /** Caps over both sets (`spec/08 §12`): count, encoded bytes, and count of queued ones. */
  maxTransactions: number;
  maxBytes: number;
  maxQueued: number;
  /** Accounts whose quota is remembered. */
  maxQuotaAccounts: number;
  /** Senders remembered by transaction hash. */
  senderCacheSize: number;
  /** Gas that computing the pending state may use, in gas limits of the best block. */
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
