import { type Deliver, type SubscriptionHub, serverError, type Topic } from "@cambium/api";
import type { Dispatcher } from "./requests/interface.js";
import { StartingSubscriptions } from "./ws/starting-subscriptions.js";

/** Maximum number of subscriptions, as on a WebSocket connection. */
export interface ProgramConnectionLimits {
  maxSubscriptions: number;
}

/** A client in the process of the server, without a socket. */
export class ProgramConnection {
  private readonly subscriptions = new Map<string, () => void>();

  /** `deliver` receives each notification as JSON text, after the answer to the request that subscribed. */
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly hub: Pick<SubscriptionHub, "subscribe">,
    private readonly limits: ProgramConnectionLimits,
    private readonly deliver: Deliver,
  ) {}

  /**
   * Answers the text of a request or batch. Resolves to undefined if it held only notifications. Never rejects. Texts
   * isolate the program's objects from the server's.
   */
  async handleText(text: string): Promise<string | undefined> {
    const starting = new StartingSubscriptions();
    const connection = {
      subscribe: (topic: Topic) => this.subscribe(topic, starting),
      unsubscribe: (id: string) => this.unsubscribe(id),
    };
    const { body } = await this.dispatcher.handleText(text, { connection });
    // The program receives the answer first.
    setImmediate(() => starting.release());
    return body;
  }

  /** Ends all subscriptions. */
  close(): void {
    for (const end of this.subscriptions.values()) end();
    this.subscriptions.clear();
  }

  private subscribe(topic: Topic, starting: StartingSubscriptions): string {
    if (this.subscriptions.size >= this.limits.maxSubscriptions) throw serverError("too many subscriptions");
    const { id, end } = this.hub.subscribe(topic, starting.hold(this.deliver));
    this.subscriptions.set(id, end);
    return id;
  }

  private unsubscribe(id: string): boolean {
    this.subscriptions.get(id)?.();
    return this.subscriptions.delete(id);
  }
}
