import { parseJson } from "@cambium/primitives";
import { COST_UNITS } from "../usage/cost-units.js";
import { type Caller, entriesOf, methodOf, type TextAnswer } from "./interface.js";
import { costOf } from "./method-costs.js";
import { rateLimited } from "./refusals.js";
import { failure, isId, responseText } from "./responses.js";
import type { UsageCounts } from "./usage-counts.js";

/** Number of characters that count as one request: longer texts cost more to receive and to parse. */
const CHARGED_CHARACTERS = 65_536;

/** Charges texts and requests to the rate limits of their clients. */
export class Admission {
  constructor(private readonly usage: UsageCounts) {}

  /**
   * Charges a text by its length, before parsing, so that a client beyond its limit costs next to nothing. Returns the
   * answer to a client that must wait.
   */
  async ofText(text: string, caller: Caller): Promise<TextAnswer | undefined> {
    const charged = chargeOf(text);
    const wait = (await caller.admit?.(charged)) ?? 0;
    return wait > 0 ? this.refuse(charged === 1 ? parseJson(text) : undefined, caller, wait) : undefined;
  }

  /** Charges the cost of a request or batch beyond that of its text. Returns the answer to a client that must wait. */
  async ofRequest(request: object, text: string, caller: Caller): Promise<TextAnswer | undefined> {
    const [cost, charged] = [totalCost(request, caller), chargeOf(text)];
    const wait = cost > charged ? ((await caller.admit?.(cost, charged)) ?? 0) : 0;
    return wait > 0 ? this.refuse(request, caller, wait) : undefined;
  }

  private refuse(request: unknown, caller: Caller, wait: number): TextAnswer {
    this.usage.refused(request, caller);
    return rateLimitedAnswer(request, wait);
  }
}

/** Returns the minimum number of requests that a text counts as. */
function chargeOf(text: string): number {
  return Math.ceil(text.length / CHARGED_CHARACTERS) || 1;
}

/** Returns the cost of a request or batch in the unit of its client's limit: requests, or cost units. */
function totalCost(request: object, { client }: Caller): number {
  const entries = entriesOf(request);
  if (client?.key?.limit?.of !== "units") return entries.length;
  return entries.reduce((sum: number, entry) => sum + COST_UNITS[costOf(methodOf(entry))], 0);
}

/** Returns the status and the rate-limit error for every request of a batch, except notifications. */
function rateLimitedAnswer(request: unknown, retryAfter: number): TextAnswer {
  const texts = entriesOf(request)
    .map((entry) => (typeof entry === "object" && entry !== null ? (entry as { id?: unknown }).id : null))
    .filter((id) => id !== undefined)
    .map((id) => responseText(failure(isId(id) ? (id ?? null) : null, rateLimited())));
  const body = Array.isArray(request) ? `[${texts.join(",")}]` : texts[0];
  return { status: 429, body: texts.length === 0 ? undefined : body, retryAfter };
}
