import type { ChainEvent } from "../interface.js";

export type ChainListener = (event: ChainEvent) => void;

/** The listeners of a chain. One that throws does not affect the others. */
export class ChainListeners {
  private readonly listeners = new Set<ChainListener>();

  constructor(private readonly onError: (error: unknown, event: ChainEvent) => void) {}

  get isEmpty(): boolean {
    return this.listeners.size === 0;
  }

  /** Returns a function that removes the listener. */
  add(listener: ChainListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: ChainEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.onError(error, event);
      }
    }
  }
}
