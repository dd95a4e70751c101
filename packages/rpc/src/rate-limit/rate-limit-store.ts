/** Counts requests in consecutive windows of a fixed length (`floor(now / length)`). */
export interface RateLimitStore {
  /** Adds to the count of an identity in a window and returns the sum. Rejects if the store cannot be reached. */
  add(identity: string, requests: number, window: number): number | Promise<number>;
  close(): Promise<void>;
}
