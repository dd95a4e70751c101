import {
  Api,
  type ApiParts,
  Deadline,
  invalidRequest,
  isBusy,
  type MethodDefinition,
  nextTurn,
  noteLightRequest,
  type Presence,
  RpcError,
  rpcErrorOf,
  type SubscriberConnection,
  shapeRefusal,
  TurnTaker,
  timeLimitExceeded,
} from "@cambium/api";
import { LimitedLines, type Logger, parseJson } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import type { KeyedClient } from "../keys/keyed-client.js";
import { mayUse } from "../keys/managed-key.js";
import type { RequestAdmission } from "../rate-limit/client-rate-limiter.js";
import { classOf, METHOD_CLASSES } from "../usage/method-class.js";
import { answered, refused, type UsageCounter } from "../usage/usage-table.js";
import { AnswerCache } from "./answer-cache.js";
import { keepExactIds } from "./exact-ids.js";
import { keepExactParams } from "./exact-params.js";
import { UNKNOWN_METHOD } from "./measurements.js";
import { methodNotAllowed, methodNotFound, nodeFailed, parseError, rateLimited } from "./refusals.js";
import {
  failure,
  isId,
  ResponseWriter,
  type RpcResponse,
  responseText,
  success,
  withParsedResult,
} from "./responses.js";
import { enabledMethods, moduleVersions, type ServedMethod, servedMethods } from "./served-methods.js";

/**
 * A response as text. `body` is undefined if the request held only notifications. The status is 400 if the request
 * could not be dispatched, and 429 if the client must wait `retryAfter` milliseconds.
 */
export interface TextAnswer {
  status: 200 | 204 | 400 | 429;
  body?: string;
  retryAfter?: number;
}

/** The client that sent a request. */
export interface Caller {
  /** Receives notifications; undefined over HTTP. */
  connection?: SubscriberConnection;
  /** The client's rate limit. */
  admit?: RequestAdmission;
  presence?: Presence;
  client?: KeyedClient;
}

export interface TextDispatcher {
  /** Handles the text of a request or batch (`spec/09 §1.5`, `§1.6`, `§2.3`). Never rejects. */
  handleText(text: string, caller?: Caller): Promise<TextAnswer>;
}

export interface Dispatcher extends TextDispatcher {
  /** Handles a request object or batch. Resolves to undefined if it held only notifications. Never rejects. */
  handle(request: unknown): Promise<RpcResponse | RpcResponse[] | undefined>;
}

/** Answers what this dispatcher cannot: the main thread of a reader, or the writer of a replica. */
export interface OtherDispatcher extends TextDispatcher {
  /** Whether it is another process, to which only the requests of a batch are passed that need it. */
  readonly isWriter?: boolean;
}

/** Thrown by what only the {@link OtherDispatcher} has. */
export const IN_MAIN_THREAD = new Error("only the main thread can answer this request");

/** Characters of a text that count as one request: longer texts cost more to receive and to parse. */
const CHARGED_CHARACTERS = 65_536;

/** Longer texts are parsed, and their requests begun, in turns of the event loop of their own. */
const LARGE_TEXT = 32_768;

/** Milliseconds until a batch lets other requests run for the first time. */
const FIRST_SLICE = 1;

/** Requests of a batch that the threads for heavy work have at a time. */
const MAX_OVERLAPPING = 8;

/** Milliseconds from which on a call is logged as slow, and how many of these lines there are. */
const SLOW_CALL = 5_000;
const SLOW_CALL_LINES = { lines: 10, window: 60_000 };

type Eventually<T> = T | Promise<T>;

/** A caller without connection or rate limit. */
const ANYONE: Caller = {};

/** The parts of a dispatcher. */
export interface DispatcherParts extends ApiParts {
  config: RpcConfig;
}

/**
 * Creates a dispatcher that serves a method table from the given parts. Needs no server. In a reader thread, `main`
 * answers what this one cannot: all other methods, and requests that throw {@link IN_MAIN_THREAD}.
 */
export function createDispatcher(
  parts: DispatcherParts,
  methods: readonly MethodDefinition[],
  logger: Logger,
  main?: OtherDispatcher,
  usage?: UsageCounter,
): Dispatcher {
  const { config } = parts;
  const api = new Api({ ...parts, versions: moduleVersions(config) }, enabledMethods(methods, config));
  return new MethodDispatcher(parts, api, servedMethods(api, config), logger, main, usage);
}

class MethodDispatcher implements Dispatcher {
  private readonly cache: AnswerCache;
  private readonly slowCalls: LimitedLines;

  constructor(
    private readonly parts: Pick<DispatcherParts, "chain" | "config" | "hasFailed">,
    private readonly api: Api,
    private readonly served: ReadonlyMap<string, ServedMethod>,
    private readonly logger: Logger,
    private readonly main: OtherDispatcher | undefined,
    /** Counts what the clients with API keys use. */
    private readonly usage: UsageCounter | undefined,
  ) {
    this.cache = new AnswerCache(parts.chain);
    this.slowCalls = new LimitedLines(SLOW_CALL_LINES, (calls) => logger.info({ calls }, "More slow JSON-RPC calls"));
  }

  async handle(request: unknown): Promise<RpcResponse | RpcResponse[] | undefined> {
    const refusal = this.refusal(request);
    if (refusal !== undefined) return failure(null, refusal);
    const deadline = Deadline.after(this.parts.config.timeout);
    if (!Array.isArray(request)) return withParsedResult(await this.answer(request, deadline, ANYONE));
    const responses: RpcResponse[] = [];
    await this.answerAll(request, deadline, ANYONE, (response) => {
      if (response !== undefined) responses.push(withParsedResult(response));
    });
    return responses.length > 0 ? responses : undefined;
  }

  async handleText(text: string, caller: Caller = ANYONE): Promise<TextAnswer> {
    // Before anything is parsed, so that a client beyond its limit costs next to nothing.
    const charged = Math.ceil(text.length / CHARGED_CHARACTERS) || 1;
    const wait = caller.admit === undefined ? 0 : await caller.admit(charged);
    if (wait > 0) return this.refuse(charged === 1 ? parseJson(text) : undefined, caller, wait);
    const isLarge = text.length > LARGE_TEXT;
    if (isLarge) await nextTurn();
    else noteLightRequest();
    const request = shapeRefusal(text, this.parts.config.maxDepth) ?? parseJson(text) ?? parseError();
    const refusal = request instanceof RpcError ? request : this.refusal(request);
    if (refusal !== undefined) return { status: 400, body: JSON.stringify(failure(null, refusal)) };
    keepExactIds(request as object, text);
    keepExactParams(request as object, text);
    if (isLarge) await nextTurn();
    const cost = caller.admit === undefined ? 0 : this.costOf(request as object, caller);
    if (caller.admit !== undefined && cost > charged) {
      const moreWait = await caller.admit(cost, charged);
      if (moreWait > 0) return this.refuse(request, caller, moreWait);
    }
    return this.main === undefined
      ? this.dispatch(request as object, caller)
      : this.dispatchOrForward(request as object, text, caller, this.main);
  }

  private refuse(request: unknown, { client }: Caller, wait: number): TextAnswer {
    for (const entry of Array.isArray(request) ? request : [request]) {
      if (client?.keyName !== undefined) this.usage?.add(refused(client.keyName, classOf(methodOf(entry)), 1));
    }
    return rateLimitedAnswer(request, wait);
  }

  /** Counts a request that was answered with a text; without one if it was a notification. */
  private count(request: unknown, { client }: Caller, text: string | undefined, isError: boolean): void {
    if (client?.keyName === undefined || this.usage === undefined) return;
    const bytes = text === undefined ? 0 : Buffer.byteLength(text);
    this.usage.add(answered(client.keyName, classOf(methodOf(request)), bytes, isError));
  }

  /** What a request or batch takes of the limit of its client: requests, or cost units. */
  private costOf(request: object, { client }: Caller): number {
    const entries: readonly unknown[] = Array.isArray(request) ? request : [request];
    if (client?.key?.limit?.of !== "units") return entries.length;
    return entries.reduce((sum: number, entry) => {
      return sum + METHOD_CLASSES[classOf(methodOf(entry))];
    }, 0);
  }

  /** Handles a valid request or batch here, or else in the main thread. Subscriptions belong to this thread. */
  private async dispatchOrForward(
    request: object,
    text: string,
    caller: Caller,
    main: OtherDispatcher,
  ): Promise<TextAnswer> {
    const entries: readonly unknown[] = Array.isArray(request) ? request : [request];
    const methods = entries.map(
      (entry) => this.served.get((entry as { method?: string } | null)?.method ?? "")?.definition,
    );
    const isHere = methods.every((method) => method !== undefined);
    const isSplit = main.isWriter
      ? text.includes(PENDING) || methods.some((method) => method?.reads !== "chain")
      : !isHere && methods.some((method) => method?.needsConnection);
    if (isSplit && Array.isArray(request)) return this.eachByItself(request, caller, main);
    try {
      // What a replica does not know, its writer does not answer either.
      if (isHere || main.isWriter) return await this.dispatch(request, caller);
    } catch (error) {
      if (error !== IN_MAIN_THREAD) throw error;
    }
    const answer = await main.handleText(text, caller);
    // The main thread counts what it answers.
    if (main.isWriter) this.count(request, caller, answer.body, isErrorText(answer.body));
    return answer;
  }

  private async eachByItself(requests: readonly unknown[], caller: Caller, main: OtherDispatcher): Promise<TextAnswer> {
    const texts: string[] = [];
    for (const request of requests) {
      const { body } = await this.dispatchOrForward(request as object, JSON.stringify(request), caller, main);
      if (body !== undefined) texts.push(body);
    }
    return texts.length > 0 ? { status: 200, body: `[${texts.join(",")}]` } : { status: 204 };
  }

  private async dispatch(request: object, caller: Caller): Promise<TextAnswer> {
    const deadline = Deadline.after(this.parts.config.timeout, caller.presence, caller.client);
    const body = Array.isArray(request)
      ? await this.batchText(request, deadline, caller)
      : await this.singleText(request, deadline, caller);
    return body === undefined ? { status: 204 } : { status: 200, body };
  }

  private async singleText(request: unknown, deadline: Deadline, caller: Caller): Promise<string | undefined> {
    const response = await this.answer(request, deadline, caller);
    const text = response && new ResponseWriter(this.parts.config.maxResponseSize).write(response);
    this.count(request, caller, text, response !== undefined && "error" in response);
    return text;
  }

  private async batchText(
    requests: readonly unknown[],
    deadline: Deadline,
    caller: Caller,
  ): Promise<string | undefined> {
    const writer = new ResponseWriter(this.parts.config.maxResponseSize);
    const texts: string[] = [];
    // Requests forwarded to the main thread are counted there.
    const counts: (() => void)[] = [];
    await this.answerAll(requests, deadline, caller, (response, request) => {
      const text = response && writer.write(response);
      if (text !== undefined) texts.push(text);
      counts.push(() => this.count(request, caller, text, response !== undefined && "error" in response));
    });
    for (const count of counts) count();
    return texts.length > 0 ? `[${texts.join(",")}]` : undefined;
  }

  /** The error for a request or batch that is rejected as a whole. */
  private refusal(request: unknown): RpcError | undefined {
    if (typeof request !== "object" || request === null) return invalidRequest();
    if (!Array.isArray(request)) return undefined;
    const limit = this.parts.config.maxBatchRequests;
    if (request.length === 0) return invalidRequest();
    if (request.length <= limit) return undefined;
    return invalidRequest(`Cannot dispatch batch requests. ${limit} is the max number of supported batch requests`);
  }

  /**
   * Emits the responses in request order, undefined for notifications. Requests run one after the other, so that writes
   * keep their order; only those that just execute in the threads for heavy work overlap.
   */
  private async answerAll(
    requests: readonly unknown[],
    deadline: Deadline,
    caller: Caller,
    emit: (response: RpcResponse | undefined, request: unknown) => void,
  ): Promise<void> {
    if (isBusy()) await nextTurn();
    const turns = new TurnTaker(FIRST_SLICE);
    const underWay: { request: unknown; response: Eventually<RpcResponse | undefined> }[] = [];
    const emitFirst = async () => {
      const { request, response } = underWay.shift()!;
      emit(await response, request);
    };
    for (const request of requests) {
      const overlaps = this.isHeavy(request);
      while (underWay.length >= (overlaps ? MAX_OVERLAPPING : 1)) await emitFirst();
      const response = this.answer(request, deadline, caller);
      if (overlaps) underWay.push({ request, response: awaitedLater(response) });
      else emit(response instanceof Promise ? await response : response, request);
      const pause = turns.pause();
      if (pause !== undefined) await pause;
    }
    while (underWay.length > 0) await emitFirst();
  }

  private isHeavy(request: unknown): boolean {
    const method = this.served.get((request as { method?: string } | null)?.method ?? "");
    return method?.definition.isHeavy === true;
  }

  /**
   * Returns the response, as a promise only if the method returns one: promises cost more than most methods.
   */
  private answer(request: unknown, deadline: Deadline, caller: Caller): Eventually<RpcResponse | undefined> {
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
      const rpcError = rpcErrorOf(error, this.parts.config, () =>
        this.logger.error({ err: error, method }, "JSON-RPC method failed unexpectedly"),
      );
      this.logger.debug({ method, reason: rpcError.message }, "JSON-RPC call failed");
      const response = failure(id ?? null, rpcError);
      return id === undefined ? undefined : response;
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
    if (method === undefined) throw methodNotFound(name);
    if (method.definition.needsConnection && caller.connection === undefined) throw methodNotFound(name);
    const key = caller.client?.key;
    if (key !== undefined && !mayUse(key, method.definition)) throw methodNotAllowed(name);
    const deadline = method.definition.isUntimed ? requestDeadline.untimed() : requestDeadline.within(method.timeout);
    deadline.check();
    const compute = () => this.api.call(method.definition, params, deadline, caller.connection);
    const cached = method.definition.reads === "chain" ? cacheKey(name, params) : undefined;
    const begin = () => (cached === undefined ? compute() : this.cache.answer(cached, compute));
    const finish = (result: unknown) => {
      deadline.check();
      this.requireChain();
      return result === undefined ? null : result;
    };
    const pending = method.definition.isHeavy ? ifAwaited(caller.presence, begin) : begin();
    return pending instanceof Promise ? pending.then(finish) : finish(pending);
  }

  /** What is done or read while the chain fails is not acknowledged: it may be lost. */
  private requireChain(): void {
    if (this.parts.hasFailed?.()) throw nodeFailed();
  }

  /** Methods without a time limit wait for something, which says nothing about the node. */
  private reportSlow(method: string, duration: number): void {
    if (this.served.get(method)?.definition.isUntimed || !this.slowCalls.admit()) return;
    this.logger.info({ method, milliseconds: Math.round(duration) }, "Slow JSON-RPC call");
  }
}

/** The method that an entry of a batch names; empty if it names none. */
function methodOf(entry: unknown): string {
  const method = (entry as { method?: unknown } | null)?.method;
  return typeof method === "string" ? method : "";
}

/** Longer answers of a writer are no errors. */
const MAX_ERROR_LENGTH = 4_096;

function isErrorText(text: string | undefined): boolean {
  if (text === undefined || text.length > MAX_ERROR_LENGTH) return false;
  const value = parseJson(text);
  return typeof value === "object" && value !== null && "error" in value;
}

/** Begins heavy work, unless the client has given up. */
async function ifAwaited(presence: Presence | undefined, begin: () => unknown): Promise<unknown> {
  if ((await presence?.isAwaited?.()) === false) throw timeLimitExceeded();
  return begin();
}

/** A promise whose rejection is handled when it is awaited, or does not matter because another one's came first. */
function awaitedLater<T>(response: Eventually<T>): Eventually<T> {
  if (response instanceof Promise) response.catch(() => undefined);
  return response;
}

/** What a request for the pending block contains. */
const PENDING = '"pending"';
/** Longer parameters are not worth keeping. */
const MAX_KEY_LENGTH = 4_096;

/** Identifies a request by its parameters as text; undefined if its answer should not be kept. */
function cacheKey(name: string, params: unknown): string | undefined {
  const text = JSON.stringify(params) ?? "";
  if (text.length > MAX_KEY_LENGTH || text.includes(PENDING)) return undefined;
  return name + text;
}

/** Status and rate-limit error for every request of a batch, except notifications. */
function rateLimitedAnswer(request: unknown, retryAfter: number): TextAnswer {
  const entries: readonly unknown[] = Array.isArray(request) ? request : [request];
  const texts = entries
    .map((entry) => (typeof entry === "object" && entry !== null ? (entry as { id?: unknown }).id : null))
    .filter((id) => id !== undefined)
    .map((id) => responseText(failure(isId(id) ? (id ?? null) : null, rateLimited())));
  const body = Array.isArray(request) ? `[${texts.join(",")}]` : texts[0];
  return { status: 429, body: texts.length === 0 ? undefined : body, retryAfter };
}
