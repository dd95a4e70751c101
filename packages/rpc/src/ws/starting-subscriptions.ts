import type { Deliver } from "../subscriptions/hub.js";

/**
 * Subscriptions made by one message. What they have to tell is held back until the answer with their ids is sent: no
 * client can know what an earlier notification belongs to.
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
