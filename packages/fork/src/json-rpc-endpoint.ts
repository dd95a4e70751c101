import { setTimeout as sleep } from "node:timers/promises";
import { ChainError } from "@cambium/chain-store";
import { append, fetchFailure, shownUrl } from "@cambium/primitives";

/** A request; its index in a batch is its id. */
export interface EndpointCall {
  method: string;
  params: readonly unknown[];
}

/**
 * An endpoint's error for one request. It may be a valid answer, for example that the method does not exist. Its
 * message is never shown: otherwise clients could read the output of any HTTP server that the node reaches.
 */
export class EndpointError {
  constructor(
    readonly code: number,
    private readonly message: string,
  ) {}

  get isMethodMissing(): boolean {
    return this.code === -32601 || /not (found|available|supported|exist)|whitelist|disabled/i.test(this.message);
  }
}

/** Time and size limits of requests. */
export interface EndpointLimits {
  /** Maximum duration of one request, in milliseconds. */
  timeout: number;
  /** Milliseconds before each repetition of a failed request. */
  pauses: readonly number[];
  /** Maximum size of an answer, in bytes. */
  maxAnswer: number;
}

const LIMITS: EndpointLimits = { timeout: 20_000, pauses: [250, 1_000, 3_000], maxAnswer: 64 * 2 ** 20 };
const MAX_BATCH = 20;
/** HTTP status codes after which a request is repeated. */
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504]);
/** JSON-RPC codes after which a request is repeated: too many requests. */
const LIMITED = new Set([-32005, -32029, 429]);

/** A public JSON-RPC endpoint over HTTP. */
export class JsonRpcEndpoint {
  private hasBatches = true;

  /** `subject` is what errors name besides the method. */
  constructor(
    readonly url: string,
    private readonly limits = LIMITS,
    private readonly subject = "",
  ) {}

  /** Returns the same endpoint with another subject in its errors. */
  about(subject: string): JsonRpcEndpoint {
    return new JsonRpcEndpoint(this.url, this.limits, subject);
  }

  /** Returns the result of one request. Rejects with {@link ChainError} `FORK_SOURCE`. */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const [result] = await this.batch([{ method, params }]);
    return this.required(result, method);
  }

  /** Returns a result that is no error. Throws {@link ChainError} `FORK_SOURCE`. */
  required(result: unknown, method: string): unknown {
    if (!(result instanceof EndpointError)) return result;
    const code = Number.isSafeInteger(result.code) ? `code ${result.code}` : "without a code";
    throw this.failure(method, `the endpoint refuses the request (${code})`);
  }

  /**
   * Returns results in the order of the requests; a refused request has an error as its result. Rejects as {@link call}
   * does.
   */
  async batch(calls: readonly EndpointCall[]): Promise<unknown[]> {
    const results: unknown[] = [];
    for (let from = 0; from < calls.length; from += MAX_BATCH) {
      const some = calls.slice(from, from + MAX_BATCH);
      append(results, await this.withRetries(some));
    }
    return results;
  }

  failure(what: string, reason: string): ChainError {
    return new ChainError({ code: "FORK_SOURCE", source: shownUrl(this.url), what: what + this.subject, reason });
  }

  private async withRetries(calls: readonly EndpointCall[]): Promise<unknown[]> {
    for (let attempt = 0; ; attempt++) {
      const pause = this.limits.pauses[attempt];
      const outcome = await this.attempt(calls);
      if (!("temporary" in outcome)) return outcome;
      if (pause === undefined) throw this.failure(calls[0]!.method, outcome.temporary);
      await sleep(pause);
    }
  }

  /** Sends the requests once. Returns the results, or the reason for another attempt. */
  private async attempt(calls: readonly EndpointCall[]): Promise<unknown[] | { temporary: string }> {
    const isBatch = calls.length > 1 && this.hasBatches;
    if (calls.length > 1 && !isBatch) {
      const all = await Promise.all(calls.map((call) => this.attempt([call])));
      return all.find((one) => "temporary" in one) ?? all.map((one) => (one as unknown[])[0]);
    }
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const answer = await this.post(isBatch ? requests : requests[0], calls[0]!.method);
    if ("temporary" in answer) return answer;
    const { value } = answer;
    if (isBatch && !Array.isArray(value)) {
      // An endpoint without batches refuses the whole batch.
      this.hasBatches = false;
      return this.attempt(calls);
    }
    const byId = new Map((isBatch ? (value as unknown[]) : [value]).map((one) => [(one as Answer | null)?.id, one]));
    const results = calls.map(({ method }, id) => this.resultOf(byId.get(id) as Answer | undefined, method));
    const isLimited = results.some((one) => one instanceof EndpointError && LIMITED.has(one.code));
    return isLimited ? { temporary: "too many requests" } : results;
  }

  private resultOf(answer: Answer | undefined, method: string): unknown {
    if (typeof answer !== "object" || answer === null)
      throw this.failure(method, "the endpoint's answer is no JSON-RPC");
    const { error, result } = answer;
    if (error === undefined || error === null) {
      if (result === undefined) throw this.failure(method, "the endpoint's answer has no result");
      return result;
    }
    return new EndpointError(Number(error.code), String(error.message).slice(0, 300));
  }

  private async post(body: unknown, method: string): Promise<{ value: unknown } | { temporary: string }> {
    let text: string;
    let status: number;
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        // The endpoint must not redirect requests to other hosts in the operator's network.
        redirect: "manual",
        signal: AbortSignal.timeout(this.limits.timeout),
      });
      status = response.status;
      if (TEMPORARY.has(status)) {
        await response.body?.cancel();
        return { temporary: `HTTP status ${status}` };
      }
      text = await this.boundedText(response, method);
    } catch (error) {
      if (error instanceof ChainError) throw error;
      return { temporary: fetchFailure(error) };
    }
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      throw this.failure(method, `the endpoint's answer is not JSON (HTTP status ${status})`);
    }
  }

  private async boundedText(response: Response, method: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += (chunk as Uint8Array).length;
      const { maxAnswer } = this.limits;
      if (size > maxAnswer) throw this.failure(method, `the endpoint's answer has more than ${maxAnswer} bytes`);
      chunks.push(chunk as Uint8Array);
    }
    return Buffer.concat(chunks).toString("utf8");
  }
}

interface Answer {
  id?: unknown;
  result?: unknown;
  error?: { code?: unknown; message?: unknown } | null;
}
