import { NetworkingError } from "../errors.js";
import type { PeerId } from "../interface.js";
import type { ProtocolName } from "../wire/protocol.js";

/** Requests of ours that are under way (`spec/07 §D.5`), and that wait for it. */
const PER_PEER = 2;
const TOTAL = 64;
const WAITING_PER_PEER = 32;
const WAITING_TOTAL = 1024;

interface Waiter {
  peer: PeerId;
  name: ProtocolName;
  /** Places that the peer has for this protocol. */
  places: number;
  grant(release: () => void): void;
  refuse(error: NetworkingError): void;
}

/** Places for requests of ours: few at a time for each peer, and in all. */
export class RequestSlots {
  private readonly running = new Map<PeerId, ProtocolName[]>();
  private total = 0;
  private waiting: Waiter[] = [];

  /**
   * Resolves with how to give the place back. Rejects with {@link NetworkingError} `TOO_MANY_REQUESTS`, `ABORTED` or
   * `DISCONNECTED`.
   */
  acquire(peer: PeerId, name: ProtocolName, places: number, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(new NetworkingError({ code: "ABORTED" }));
    if (this.fits(peer, name, places)) return Promise.resolve(this.take(peer, name));
    if (this.waiting.length >= WAITING_TOTAL || this.waitingFor(peer) >= WAITING_PER_PEER) {
      return Promise.reject(new NetworkingError({ code: "TOO_MANY_REQUESTS", peer }));
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiting = this.waiting.filter((one) => one !== waiter);
        reject(new NetworkingError({ code: "ABORTED" }));
      };
      const waiter: Waiter = {
        peer,
        name,
        places,
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

  /** The peer is gone: nobody waits for it any more. */
  drop(peer: PeerId): void {
    const gone = this.waiting.filter((waiter) => waiter.peer === peer);
    this.waiting = this.waiting.filter((waiter) => waiter.peer !== peer);
    for (const waiter of gone) waiter.refuse(new NetworkingError({ code: "DISCONNECTED", peer }));
  }

  private fits(peer: PeerId, name: ProtocolName, places: number): boolean {
    const names = this.running.get(peer) ?? [];
    if (this.total >= TOTAL || names.length >= PER_PEER) return false;
    return names.filter((one) => one === name).length < places;
  }

  private take(peer: PeerId, name: ProtocolName): () => void {
    this.total++;
    this.running.set(peer, [...(this.running.get(peer) ?? []), name]);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.giveBack(peer, name);
    };
  }

  private giveBack(peer: PeerId, name: ProtocolName): void {
    this.total--;
    const names = this.running.get(peer)!;
    names.splice(names.indexOf(name), 1);
    if (names.length === 0) this.running.delete(peer);
    this.grantWaiting();
  }

  private grantWaiting(): void {
    const still: Waiter[] = [];
    for (const waiter of this.waiting) {
      if (this.fits(waiter.peer, waiter.name, waiter.places)) waiter.grant(this.take(waiter.peer, waiter.name));
      else still.push(waiter);
    }
    this.waiting = still;
  }

  private waitingFor(peer: PeerId): number {
    return this.waiting.filter((waiter) => waiter.peer === peer).length;
  }
}
