/** Part of the free memory that one client may hold. */
const SHARE = 1 / 16;

/**
 * Bytes that clients hold in the node's memory, and their limit. A client may hold a part of the free memory, so that
 * some remains for the next client however greedy the others are.
 */
export class ClientBudget {
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** Takes bytes for a client; false if it would hold too much. */
  take(client: string, bytes: number): boolean {
    const held = (this.held.get(client) ?? 0) + bytes;
    if (held > (this.limit - this.total - bytes) * SHARE) return false;
    this.held.set(client, held);
    this.total += bytes;
    return true;
  }

  /** Returns bytes that the client has taken. */
  release(client: string, bytes: number): void {
    const held = this.held.get(client)! - bytes;
    if (held > 0) this.held.set(client, held);
    else this.held.delete(client);
    this.total -= bytes;
  }
}
