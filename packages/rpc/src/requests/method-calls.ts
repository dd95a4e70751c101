import {
  type Api,
  type ApiParts,
  type Deadline,
  invalidRequest,
  type Presence,
  rpcErrorOf,
  timeLimitExceeded,
} from "@cambium/api";
import { LimitedLines, type Logger } from "@cambium/primitives";
import { mayUse } from "../keys/managed-key.js";
import { AnswerCache, cacheKey } from "./answer-cache.js";
import type { Eventually } from "./batch.js";
import { type Caller, IN_MAIN_THREAD, methodOf } from "./interface.js";
import { UNKNOWN_METHOD } from "./measurements.js";
import { methodNotAllowed, methodNotFound, nodeFailed } from "./refusals.js";
import { failure, isId, type RpcResponse, success } from "./responses.js";
import type { ServedMethod } from "./served-methods.js";

/** Duration in milliseconds at which a call is logged as slow, and the limit of such lines. */
const SLOW_CALL = 5_000;
const SLOW_CALL_LINES = { lines: 10, window: 60_000 };

/** Answers single requests: calls their methods, within limits of time and of the client's key. */
export class MethodCalls {
  private readonly cache: AnswerCache;
  private readonly slowCalls: LimitedLines;

  constructor(
    private readonly parts: Pick<ApiParts, "chain" | "config" | "hasFailed" | "revertText" | "onFailedRequest">,
    private readonly api: Api,
    private readonly served: ReadonlyMap<string, ServedMethod>,
    private readonly remedies: ReadonlyMap<string, string>,
    private readonly logger: Logger,
  ) {
    this.cache = new AnswerCache(parts.chain);
    this.slowCalls = new LimitedLines(SLOW_CALL_LINES, (calls) => logger.info({ calls }, "More slow JSON-RPC calls"));
  }

  /** Whether a request always needs a thread for heavy work. */
  isHeavy(request: unknown): boolean {
    return this.served.get(methodOf(request))?.definition.isHeavy === true;
  }

  /**
   * Returns the response, as a promise only if the method returns one: promises cost more than most methods. Throws
   * {@link IN_MAIN_THREAD}.
   */
  answer(request: unknown, deadline: Deadline, caller: Caller): Eventually<RpcResponse | undefined> {
    if (typeof request !== "object" || request === null || Array.isArray(request)) {
      return failure(null, invalidRequest());
    }
    const { id, method, params } = request as { id?: unknown; method?: unknown; params?: unknown };
    if (!isId(id)) return failure(null, invalidRequest());
    if (typeof method !== "string") return failure(id ?? null, invalidRequest());
    const { time, errors } = this.served.get(method)?.measurements ?? UNKNOWN_METHOD;
    const start = performance.now();
    const measure = () => {
      const duration = performance.now() - start;
      time.observe(duration / 1_000);
      if (duration >= SLOW_CALL) this.reportSlow(method, duration);
    };
    const succeed = (result: unknown) => {
      measure();
      return id === undefined ? undefined : success(id, result);
    };
    const fail = (error: unknown) => {
      if (error === IN_MAIN_THREAD) throw error;
      measure();
      errors.add();
      const rpcError = rpcErrorOf(error, this.parts, () =>
        this.logger.error({ err: error, method }, "JSON-RPC method failed unexpectedly"),
      );
      this.parts.onFailedRequest?.({ method, params, error: rpcError });
      this.logger.debug({ method, reason: rpcError.message }, "JSON-RPC call failed");
      return id === undefined ? undefined : failure(id ?? null, rpcError);
    };
    try {
      const result = this.call(method, params, deadline, caller);
      return result instanceof Promise ? result.then(succeed, fail) : succeed(result);
    } catch (error) {
      return fail(error);
    }
  }

  private call(name: string, params: unknown, requestDeadline: Deadline, caller: Caller): unknown {
    this.requireChain();
    const method = this.served.get(name);
    if (method === undefined) throw methodNotFound(name, this.remedies.get(name));
    const { definition, timeout } = method;
    if (definition.needsConnection && caller.connection === undefined) throw methodNotFound(name);
    const key = caller.client?.key;
    if (key !== undefined && !mayUse(key, definition)) throw methodNotAllowed(name);
    const deadline = definition.isUntimed ? requestDeadline.untimed() : requestDeadline.within(timeout);
    deadline.check();
    const compute = () => this.api.call(definition, params, deadline, caller.connection);
    const { reads } = definition;
    const cached = reads === undefined ? undefined : cacheKey(name, params);
    const begin = () => (cached === undefined ? compute() : this.cache.answer(cached, compute, reads));
    const finish = (result: unknown) => {
      deadline.check();
      this.requireChain();
      return result === undefined ? null : result;
    };
    const pending = definition.isHeavy ? ifAwaited(caller.presence, begin) : begin();
    return pending instanceof Promise ? pending.then(finish) : finish(pending);
  }

  /** Throws if the chain has failed: the effects of a request could be lost, so they are not acknowledged. */
  private requireChain(): void {
    if (this.parts.hasFailed?.()) throw nodeFailed();
  }

  /** Logs a slow call. A method without a time limit waits for an event, so its duration does not matter. */
  private reportSlow(method: string, duration: number): void {
    if (this.served.get(method)?.definition.isUntimed || !this.slowCalls.admit()) return;
    this.logger.info({ method, milliseconds: Math.round(duration) }, "Slow JSON-RPC call");
  }
}

/** Begins heavy work, unless the client has disconnected. */
async function ifAwaited(presence: Presence | undefined, begin: () => unknown): Promise<unknown> {
  if ((await presence?.isAwaited?.()) === false) throw timeLimitExceeded();
  return begin();
}
