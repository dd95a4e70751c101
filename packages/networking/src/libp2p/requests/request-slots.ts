import { NetworkingError } from "../../errors.js";
import type { PeerId } from "../../interface.js";
import type { ProtocolName } from "../wire/protocols.js";

/** Limits on our own requests in progress (`spec/07 §D.5`), and on waiting ones. */
const PER_PEER = 2;
const TOTAL = 64;
const WAITING_PER_PEER = 32;
const WAITING_TOTAL = 1024;

interface Waiter {
  peer: PeerId;
  name: ProtocolName;
  /** Number of requests of this protocol that the peer answers at the same time. */
  parallel: number;
  grant(release: () => void): void;
  refuse(error: NetworkingError): void;
}

/** Limits our requests in progress, for each peer and in total. */
export class RequestSlots {
  private readonly running = new Map<PeerId, ProtocolName[]>();
  private total = 0;
  private waiting: Waiter[] = [];

  /**
   * Resolves with a function that frees the slot. Rejects with {@link NetworkingError} `TOO_MANY_REQUESTS`, `ABORTED`
   * or `DISCONNECTED`.
   */
  acquire(peer: PeerId, name: ProtocolName, parallel: number, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(new NetworkingError({ code: "ABORTED" }));
    if (this.fits(peer, name, parallel)) return Promise.resolve(this.take(peer, name));
    if (this.waiting.length >= WAITING_TOTAL || this.waitingFor(peer) >= WAITING_PER_PEER) {
      return Promise.reject(new NetworkingError({ code: "TOO_MANY_REQUESTS", peer }));
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiting = this.waiting.filter((other) => other !== waiter);
        reject(new NetworkingError({ code: "ABORTED" }));
      };
      const waiter: Waiter = {
        peer,
        name,
        parallel,
        grant: (release) => {
          signal?.removeEventListener("abort", abort);
          resolve(release);
        },
        refuse: (error) => {
          signal?.removeEventListener("abort", abort);
          reject(error);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.waiting.push(waiter);
    });
  }

  /** Rejects the requests that wait for a peer that disconnected. */
  drop(peer: PeerId): void {
    const dropped = this.waiting.filter((waiter) => waiter.peer === peer);
    this.waiting = this.waiting.filter((waiter) => waiter.peer !== peer);
    for (const waiter of dropped) waiter.refuse(new NetworkingError({ code: "DISCONNECTED", peer }));
  }

  private fits(peer: PeerId, name: ProtocolName, parallel: number): boolean {
    const names = this.running.get(peer) ?? [];
    if (this.total >= TOTAL || names.length >= PER_PEER) return false;
    return names.filter((other) => other === name).length < parallel;
  }

  private take(peer: PeerId, name: ProtocolName): () => void {
    this.total++;
    this.running.set(peer, [...(this.running.get(peer) ?? []), name]);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.release(peer, name);
    };
  }

  private release(peer: PeerId, name: ProtocolName): void {
    this.total--;
    const names = this.running.get(peer)!;
    names.splice(names.indexOf(name), 1);
    if (names.length === 0) this.running.delete(peer);
    this.grantWaiting();
  }

  private grantWaiting(): void {
    const remaining: Waiter[] = [];
    for (const waiter of this.waiting) {
      if (this.fits(waiter.peer, waiter.name, waiter.parallel)) waiter.grant(this.take(waiter.peer, waiter.name));
      else remaining.push(waiter);
    }
    this.waiting = remaining;
  }

  private waitingFor(peer: PeerId): number {
    return this.waiting.filter((waiter) => waiter.peer === peer).length;
  }
}
