import type { Deliver } from "@cambium/api";

/**
 * Subscriptions created by one message. Their notifications are delayed until the response with their ids is sent: a
 * client could not assign an earlier notification to a subscription.
 */
export class StartingSubscriptions {
  private held: (() => void)[] = [];
  private isReleased = false;

  hold(deliver: Deliver): Deliver {
    return (message) => {
      if (this.isReleased) deliver(message);
      else this.held.push(() => deliver(message));
    };
  }

  release(): void {
    this.isReleased = true;
    for (const send of this.held) send();
    this.held = [];
  }
}
