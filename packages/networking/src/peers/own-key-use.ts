import type { Logger } from "@cambium/primitives";

/**
 * Warns once if another node may use this node's key. Two such nodes never connect to each other, since each takes the
 * other for itself. Peers keep only one of them.
 */
export class OwnKeyUse {
  private hasWarned = false;

  constructor(
    private readonly keyPath: string,
    private readonly logger: Pick<Logger, "warn">,
  ) {}

  /** Warns about a node at this address that has proved that it holds the key. A node never dials itself. */
  proved(address: string): void {
    this.warn(`A node at ${address} uses the key of this node`);
  }

  /**
   * Checks the addresses of configured peers with this node's id; addresses at which the node itself listens are
   * harmless.
   */
  configured(addresses: readonly string[], own: readonly string[]): void {
    for (const address of addresses) {
      if (!own.includes(address))
        this.warn(`The configured peer ${address} has the key of this node, unless it is this node`);
    }
  }

  private warn(finding: string): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    const advice = `nodes with one key cannot connect to each other; stop one of them, remove its ${this.keyPath} and start it again`;
    this.logger.warn({}, `${finding}: ${advice}`);
  }
}
