/** Started parts, by their stop functions. */
export class Parts {
  private readonly ends: (() => void | Promise<void>)[] = [];

  add(end: () => void | Promise<void>): void {
    this.ends.push(end);
  }

  /** Stops all parts, the last one first, even if one fails. */
  async stop(): Promise<void> {
    for (let end = this.ends.pop(); end !== undefined; end = this.ends.pop()) {
      try {
        await end();
      } catch (error) {
        await this.stop();
        throw error;
      }
    }
  }
}
