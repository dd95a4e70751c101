import { addressKey, type UdpAddress } from "./udp-address.js";

/** Milliseconds within which a request must be answered (`spec/07 §A.4`). */
export const REQUEST_TIMEOUT = 14_999;

/** A packet that awaits its answer from the same address. */
export interface PendingRequest {
  messageId: string;
  to: UdpAddress;
}

/** Requests in flight, at most one to each address. */
export class PendingRequests<R extends PendingRequest> {
  private readonly byId = new Map<string, { request: R; sentAt: number }>();
  private readonly byAddress = new Map<string, R>();

  /** `now` returns milliseconds. */
  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.byId.size;
  }

  /** Returns the request to an address. */
  to(address: UdpAddress): R | undefined {
    return this.byAddress.get(addressKey(address));
  }

  count(matches: (request: R) => boolean): number {
    let count = 0;
    for (const request of this.byAddress.values()) if (matches(request)) count++;
    return count;
  }

  /** Adds a request; there must be none to this address. */
  add(request: R): void {
    this.byId.set(request.messageId, { request, sentAt: this.now() });
    this.byAddress.set(addressKey(request.to), request);
  }

  /** Removes the request that an answer belongs to; undefined if there is none, or it is late. */
  take(messageId: string, from: UdpAddress): R | undefined {
    // Deployed nodes answer in lower case, regardless of the request's case.
    const pending = this.byId.get(messageId.toLowerCase());
    if (pending === undefined || addressKey(pending.request.to) !== addressKey(from)) return undefined;
    if (this.isExpired(pending.sentAt)) return undefined;
    this.remove(pending.request);
    return pending.request;
  }

  /** Removes the requests that were not answered in time. */
  takeExpired(): R[] {
    const expired = [...this.byId.values()].filter(({ sentAt }) => this.isExpired(sentAt));
    for (const { request } of expired) this.remove(request);
    return expired.map(({ request }) => request);
  }

  private remove({ messageId, to }: R): void {
    this.byId.delete(messageId);
    this.byAddress.delete(addressKey(to));
  }

  private isExpired(sentAt: number): boolean {
    return this.now() > sentAt + REQUEST_TIMEOUT;
  }
}
