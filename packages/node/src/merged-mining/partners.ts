import { setTimeout as delay } from "node:timers/promises";
import { type BlockTemplate, encodeTemplate } from "@cambium/miner";
import { fetchFailure, toData } from "@cambium/primitives";
import type { Logger } from "pino";

/** Number of templates that wait for a partner, the same as those whose solutions are accepted. */
const MAX_WAITING = 20;
const TIMEOUT = 5_000;
const RETRY_WAIT = 1_000;

/** Sends the templates of served work to other nodes of a pool, which then accept their solutions. */
export class WorkPartners {
  private readonly partners: Partner[];

  constructor(urls: readonly string[], logger: Logger) {
    this.partners = urls.map((url) => new Partner(url, logger));
  }

  share(template: BlockTemplate): void {
    if (this.partners.length === 0) return;
    const encoded = toData(encodeTemplate(template));
    for (const partner of this.partners) partner.send(encoded);
  }

  /** Stops, and discards unsent templates. */
  async close(): Promise<void> {
    await Promise.all(this.partners.map((partner) => partner.close()));
  }
}

class Partner {
  /** Templates to send, oldest first. */
  private readonly waiting: string[] = [];
  private sending: Promise<void> | undefined;
  private isUnreachable = false;
  private readonly stopped = new AbortController();
  /** URL for the log, without an API key in its path. */
  private readonly name: string;

  constructor(
    private readonly url: string,
    private readonly logger: Logger,
  ) {
    this.name = new URL(url).host;
  }

  send(template: string): void {
    this.waiting.push(template);
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
    this.sending ??= this.sendAll();
  }

  async close(): Promise<void> {
    this.stopped.abort();
    await this.sending;
  }

  /** Sends all templates, the newest first, because its solutions are the most likely. Never rejects. */
  private async sendAll(): Promise<void> {
    const { signal } = this.stopped;
    while (this.waiting.length > 0 && !signal.aborted) {
      const newest = this.waiting.pop()!;
      try {
        await this.post(newest);
        if (this.isUnreachable)
          this.logger.info({ partner: this.name }, "Partner node reachable again; sharing work resumed");
        this.isUnreachable = false;
      } catch (error) {
        if (signal.aborted) break;
        this.waiting.push(newest);
        if (this.waiting.length > MAX_WAITING) this.waiting.shift();
        const reason = fetchFailure(error);
        if (!this.isUnreachable)
          this.logger.warn({ partner: this.name, reason }, "Work cannot be sent to the other node of the pool");
        this.isUnreachable = true;
        await delay(RETRY_WAIT, undefined, { signal }).catch(() => undefined);
      }
    }
    this.sending = undefined;
  }

  private async post(template: string): Promise<void> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "mnr_rememberWork", params: [template] }),
      signal: AbortSignal.any([this.stopped.signal, AbortSignal.timeout(TIMEOUT)]),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    const { error } = JSON.parse(text) as { error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
  }
}
