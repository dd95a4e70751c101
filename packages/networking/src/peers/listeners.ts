import type { NetworkEvent } from "../interface.js";
import type { NetworkLogger } from "../logger.js";

/** Who wants to hear of peers. */
export class Listeners {
  private readonly listeners = new Set<(event: NetworkEvent) => void>();

  constructor(private readonly logger: NetworkLogger) {}

  add(listener: (event: NetworkEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(event: NetworkEvent): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.logger.error({ err: error, event: event.kind }, "A listener of the network failed");
      }
    }
  }
}
