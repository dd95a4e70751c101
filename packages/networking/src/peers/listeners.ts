import type { Logger } from "@cambium/primitives";
import type { NetworkEvent } from "../interface.js";

/** Listeners to events of the network. */
export class Listeners {
  private readonly listeners = new Set<(event: NetworkEvent) => void>();

  constructor(private readonly logger: Logger) {}

  add(listener: (event: NetworkEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: NetworkEvent): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.logger.error({ err: error, event: event.kind }, "A listener to network events failed");
      }
    }
  }
}
