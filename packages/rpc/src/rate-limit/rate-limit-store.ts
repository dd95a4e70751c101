/** Where requests are counted, in windows of a fixed length that follow each other (`floor(now / window)`). */
export interface RateLimitStore {
  /** Adds to what an identity asked for in a window; the sum. Rejects when the store cannot be reached. */
  add(identity: string, requests: number, window: number): number | Promise<number>;
  close(): Promise<void>;
}
