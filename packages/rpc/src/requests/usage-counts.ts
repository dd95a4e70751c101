import { answered, refused, type UsageCounter } from "../usage/usage-table.js";
import { type Caller, entriesOf, methodOf } from "./interface.js";
import { costOf } from "./method-costs.js";

/** Counts the usage of clients with API keys. */
export class UsageCounts {
  constructor(private readonly usage: UsageCounter | undefined) {}

  /** Counts a request that was answered with a text; undefined if it was a notification. */
  answered(request: unknown, { client }: Caller, text: string | undefined, isError: boolean): void {
    if (client?.keyName === undefined || this.usage === undefined) return;
    const bytes = text === undefined ? 0 : Buffer.byteLength(text);
    this.usage.add(answered(client.keyName, costOf(methodOf(request)), bytes, isError));
  }

  /** Counts the requests of a request or batch that exceeds the rate limit. */
  refused(request: unknown, { client }: Caller): void {
    if (client?.keyName === undefined || this.usage === undefined) return;
    for (const entry of entriesOf(request)) this.usage.add(refused(client.keyName, costOf(methodOf(entry)), 1));
  }
}
