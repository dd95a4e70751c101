/** The behaviours that a node can serve where the API document and the deployed client differ (`spec/09 §17.1`). */
export const COMPATIBILITIES = ["specification", "development", "deployed"] as const;

/**
 * `specification`: exactly the API document. `development`: additionally, the behaviour that tools of developers
 * expect. `deployed`: the deployed client's behaviour where it differs.
 */
export type Compatibility = (typeof COMPATIBILITIES)[number];

/** Settings of the answers (`spec/09 §14`). Plain data. */
export interface ApiConfig {
  /** Undefined: `development` on the networks local and dev, `specification` on all others. */
  compatibility?: Compatibility | undefined;
  /**
   * Whether methods and members of blocks also have the deployed ecosystem's names. Undefined: methods do; blocks do
   * except on the networks local and dev.
   */
  aliases?: boolean | undefined;
  /** Whether the tags `safe` and `finalized` select blocks by depth; undefined: except in `deployed`. */
  finality?: boolean | undefined;
  /** Milliseconds for one HTTP request or batch; 0: no limit. */
  timeout: number;
  /**
   * Polling filters (`spec/09 §9.5`); `expiry` is milliseconds without use, `maxBytes` the memory for all filters and
   * subscriptions.
   */
  filters: { maxFilters: number; expiry: number; maxBytes: number };
  /** Bytes of one response, summed over a batch; 0: no limit. */
  maxResponseSize: number;
  /** Gas limit of one `eth_call`; 0 or less: no limit. */
  callGasCap: number;
  /**
   * Highest gas limit that an estimate tries, besides that of the pending block; 0 or less: no other (`spec/09 §8.3`).
   */
  gasEstimationCap: number;
  /** Whether `eth_call` and `eth_estimateGas` accept state overrides (`spec/09 §8.4`). */
  allowCallStateOverride: boolean;
  /** Whether `v`, `r` and `s` of the reward transaction are `0x0` instead of null (`spec/09 §6.2`). */
  zeroSignatureIfRemasc: boolean;
  /** Whether block objects omit the reward transaction (`spec/09 §6.1`). */
  skipRemasc: boolean;
  logs: {
    /** Maximum number of logs in a response if the range is longer than `unlimitedRange` (`spec/09 §9.3`). */
    maxLogs: number;
    unlimitedRange: number;
    /** Longest range allowed; 0: no limit. */
    maxBlocks: number;
  };
  trace: {
    /** Maximum number of traces that one `trace_filter` returns. */
    maxTraces: number;
    /** Maximum number of cells of a contract for which a step trace lists the initial storage. */
    maxInitialCells: number;
    /** Whether clients may run tracers in JavaScript, in a sandbox. Undefined: no. */
    javascript?: boolean | undefined;
  };
}

/** Default settings (`spec/09 §14`), the same on every network. */
export const DEFAULT_API_CONFIG: ApiConfig = {
  timeout: 5_000,
  filters: { maxFilters: 10_000, expiry: 300_000, maxBytes: 268_435_456 },
  maxResponseSize: 10_485_760,
  callGasCap: 10_000_000,
  gasEstimationCap: 0,
  allowCallStateOverride: true,
  zeroSignatureIfRemasc: true,
  skipRemasc: false,
  logs: { maxLogs: 10_000, unlimitedRange: 2_000, maxBlocks: 0 },
  trace: { maxTraces: 10_000, maxInitialCells: 10_000 },
};
