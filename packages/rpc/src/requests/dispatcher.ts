import { DatabaseError } from "@cambium/database";
import type { Logger } from "@cambium/primitives";
import { isDeployed } from "../compatibility.js";
import type { ModuleConfig, RpcConfig } from "../config.js";
import { type DepthTags, depthTags } from "../depth-tags.js";
import {
  databaseFailure,
  internalError,
  invalidParams,
  invalidRequest,
  methodNotFound,
  parseError,
  RpcError,
  type RpcErrorObject,
  rateLimited,
  sizeLimitExceeded,
  timeLimitExceeded,
} from "../errors.js";
import type { HeavyExecutor } from "../heavy/heavy-executor.js";
import { InProcessExecutor } from "../heavy/in-process.js";
import { Deadline, isBusy, nextTurn, noteLightRequest, TurnTaker } from "../limits.js";
import { isOwnHost } from "../own-host.js";
import type { RequestAdmission } from "../rate-limit/client-rate-limiter.js";
import type { SubscriberConnection } from "../subscriptions/topic.js";
import { methodAliases, withModuleAliases } from "./aliases.js";
import type { Client, Presence } from "./client.js";
import { ExactNumber, keepExactIds } from "./exact-ids.js";
import { keepExactParams } from "./exact-params.js";
import { shapeRefusal } from "./json-shape.js";
import { JsonText } from "./json-text.js";
import type { MethodDefinition, RpcModules } from "./method.js";
import { textOfInteger } from "./value-types.js";

type Id = string | number | ExactNumber | null;

export type RpcResponse =
  | { jsonrpc: "2.0"; id: Id; result: unknown }
  | { jsonrpc: "2.0"; id: Id; error: RpcErrorObject };

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
  client?: Client;
}

export interface Dispatcher {
  /** Handles a request object or batch. Resolves to undefined if it held only notifications. Never rejects. */
  handle(request: unknown): Promise<RpcResponse | RpcResponse[] | undefined>;
  /** Handles the text of a request or batch (`spec/09 §1.5`, `§1.6`, `§2.3`). Never rejects. */
  handleText(text: string, caller?: Caller): Promise<TextAnswer>;
}

/** Characters of a text that count as one request: longer texts cost more to receive and to parse. */
const CHARGED_CHARACTERS = 65_536;

/** Longer texts are parsed, and their requests begun, in turns of the event loop of their own. */
const LARGE_TEXT = 32_768;

/** Bytes of an id, which is part of the response. */
const MAX_ID_BYTES = 1_024;

/** Milliseconds until a batch lets other requests run for the first time. */
const FIRST_SLICE = 1;

/** A caller without connection or rate limit. */
const ANYONE: Caller = {};

/** An enabled method, with what can be computed before any request. */
interface ServedMethod {
  definition: MethodDefinition;
  requiredCount: number;
  timeout: number;
}

/** The modules of a dispatcher; without `heavy`, heavy work runs in this thread. */
export type DispatcherModules = Omit<RpcModules, "served" | "servedMethods" | "heavy"> & { heavy?: HeavyExecutor };

/** Creates a dispatcher that serves a method table from the given modules. Needs no server. */
export function createDispatcher(
  modules: DispatcherModules,
  methods: readonly MethodDefinition[],
  logger: Logger,
): Dispatcher {
  const { config } = modules;
  const present = methods.filter(({ needs }) => needs === undefined || modules[needs] !== undefined);
  const served = servedMethods(present, config);
  const definitions = [...new Set([...served.values()].map(({ definition }) => definition))];
  return new MethodDispatcher(
    {
      ...modules,
      heavy: modules.heavy ?? new InProcessExecutor(modules),
      served: servedModules(served, config),
      servedMethods: definitions,
    },
    served,
    logger,
  );
}

/** Enabled methods by name (`spec/09 §2.2`). A disabled method responds like one that does not exist. */
function servedMethods(methods: readonly MethodDefinition[], config: RpcConfig): Map<string, ServedMethod> {
  const served = new Map<string, ServedMethod>();
  for (const definition of methods) {
    const module = Object.hasOwn(config.modules, definition.module) ? config.modules[definition.module]! : undefined;
    if (module === undefined || !isEnabled(module, config) || module.disabledMethods.includes(definition.name))
      continue;
    if (module.enabledMethods.length > 0 && !module.enabledMethods.includes(definition.name)) continue;
    const own = module.methodTimeouts[definition.name.slice(definition.module.length + 1)];
    const entry: ServedMethod = {
      definition,
      requiredCount: definition.params.filter((param) => param.required).length,
      timeout: own ?? module.timeout,
    };
    served.set(definition.name, entry);
    if (isDeployed(config)) for (const alias of methodAliases(definition.name)) served.set(alias, entry);
  }
  return served;
}

function isEnabled({ enabled }: ModuleConfig, { http, ws, auth }: RpcConfig): boolean {
  if (typeof enabled === "boolean") return enabled;
  // Keys are for clients elsewhere, behind a proxy.
  return auth.keys.length === 0 && isOwnHost(http.host) && (!ws.enabled || isOwnHost(ws.host));
}

function servedModules(served: ReadonlyMap<string, ServedMethod>, config: RpcConfig): Record<string, string> {
  const names = new Set([...served.values()].map((method) => method.definition.module));
  const versions = Object.fromEntries([...names].map((name) => [name, config.modules[name]!.version]));
  return isDeployed(config) ? withModuleAliases(versions) : versions;
}

class MethodDispatcher implements Dispatcher {
  private readonly tags: DepthTags;

  constructor(
    private readonly modules: RpcModules,
    private readonly served: ReadonlyMap<string, ServedMethod>,
    private readonly logger: Logger,
  ) {
    this.tags = depthTags(modules);
  }

  async handle(request: unknown): Promise<RpcResponse | RpcResponse[] | undefined> {
    const refusal = this.refusal(request);
    if (refusal !== undefined) return failure(null, refusal);
    const deadline = Deadline.after(this.modules.config.timeout);
    if (!Array.isArray(request)) return withParsedResult(await this.answer(request, deadline, ANYONE));
    const responses: RpcResponse[] = [];
    for await (const response of this.answers(request, deadline, ANYONE)) responses.push(withParsedResult(response));
    return responses.length > 0 ? responses : undefined;
  }

  async handleText(text: string, caller: Caller = ANYONE): Promise<TextAnswer> {
    // Before anything is parsed, so that a client beyond its limit costs next to nothing.
    const charged = Math.ceil(text.length / CHARGED_CHARACTERS) || 1;
    const wait = caller.admit === undefined ? 0 : await caller.admit(charged);
    if (wait > 0) return rateLimitedAnswer(charged === 1 ? parsed(text) : undefined, wait);
    const isLarge = text.length > LARGE_TEXT;
    if (isLarge) await nextTurn();
    else noteLightRequest();
    const request = shapeRefusal(text, this.modules.config.maxDepth) ?? parsed(text) ?? parseError();
    const refusal = request instanceof RpcError ? request : this.refusal(request);
    if (refusal !== undefined) return { status: 400, body: JSON.stringify(failure(null, refusal)) };
    keepExactIds(request as object, text);
    keepExactParams(request as object, text);
    if (isLarge) await nextTurn();
    return this.dispatch(request as object, charged, caller);
  }

  /** Handles a valid request or batch, for whose text `charged` requests are counted already. */
  private async dispatch(request: object, charged: number, caller: Caller): Promise<TextAnswer> {
    if (Array.isArray(request) && request.length > charged && caller.admit !== undefined) {
      const wait = await caller.admit(request.length, charged);
      if (wait > 0) return rateLimitedAnswer(request, wait);
    }
    const deadline = Deadline.after(this.modules.config.timeout, caller.presence, caller.client);
    const body = Array.isArray(request)
      ? await this.batchText(request, deadline, caller)
      : await this.singleText(request, deadline, caller);
    return body === undefined ? { status: 204 } : { status: 200, body };
  }

  private async singleText(request: unknown, deadline: Deadline, caller: Caller): Promise<string | undefined> {
    const response = await this.answer(request, deadline, caller);
    return response && new ResponseWriter(this.modules.config.maxResponseSize).write(response);
  }

  private async batchText(
    requests: readonly unknown[],
    deadline: Deadline,
    caller: Caller,
  ): Promise<string | undefined> {
    const writer = new ResponseWriter(this.modules.config.maxResponseSize);
    const texts: string[] = [];
    for await (const response of this.answers(requests, deadline, caller)) texts.push(writer.write(response));
    return texts.length > 0 ? `[${texts.join(",")}]` : undefined;
  }

  /** The error for a request or batch that is rejected as a whole. */
  private refusal(request: unknown): RpcError | undefined {
    if (typeof request !== "object" || request === null) return invalidRequest();
    if (!Array.isArray(request)) return undefined;
    const limit = this.modules.config.maxBatchRequests;
    if (request.length === 0) return invalidRequest();
    if (request.length <= limit) return undefined;
    return invalidRequest(`Cannot dispatch batch requests. ${limit} is the max number of supported batch requests`);
  }

  /** Responses in request order. Requests run one after the other, so that writes keep their order. */
  private async *answers(
    requests: readonly unknown[],
    deadline: Deadline,
    caller: Caller,
  ): AsyncGenerator<RpcResponse> {
    if (isBusy()) await nextTurn();
    const turns = new TurnTaker(FIRST_SLICE);
    for (const request of requests) {
      const response = await this.answer(request, deadline, caller);
      if (response !== undefined) yield response;
      await turns.pause();
    }
  }

  private async answer(request: unknown, deadline: Deadline, caller: Caller): Promise<RpcResponse | undefined> {
    if (typeof request !== "object" || request === null || Array.isArray(request)) {
      return failure(null, invalidRequest());
    }
    const { id, method, params } = request as { id?: unknown; method?: unknown; params?: unknown };
    if (!isId(id)) return failure(null, invalidRequest());
    if (typeof method !== "string") return failure(id ?? null, invalidRequest());
    let response: RpcResponse;
    try {
      response = { jsonrpc: "2.0", id: id ?? null, result: await this.call(method, params, deadline, caller) };
    } catch (error) {
      response = failure(id ?? null, this.toRpcError(error, method));
    }
    return id === undefined ? undefined : response;
  }

  private async call(name: string, params: unknown, requestDeadline: Deadline, caller: Caller): Promise<unknown> {
    const method = this.served.get(name);
    if (method === undefined) throw methodNotFound(name);
    if (method.definition.needsConnection && caller.connection === undefined) throw methodNotFound(name);
    const deadline = requestDeadline.within(method.timeout);
    deadline.check();
    const isUseless = method.definition.isHeavy && (await caller.presence?.isAwaited?.()) === false;
    if (isUseless) throw timeLimitExceeded();
    const args = bindArguments(method, params, this.tags);
    const pending = method.definition.handler(this.modules, args, deadline, caller.connection);
    const result = pending instanceof Promise ? await pending : pending;
    deadline.check();
    return result === undefined ? null : result;
  }

  private toRpcError(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error;
    this.logger.error({ err: error, method }, "JSON-RPC method failed unexpectedly");
    return error instanceof DatabaseError ? databaseFailure() : internalError();
  }
}

/** Parses the positional parameters; optional ones may be absent (`spec/09 §2.1`, step 2). */
function bindArguments({ definition, requiredCount }: ServedMethod, params: unknown, tags: DepthTags): unknown[] {
  const given = params === undefined || params === null ? [] : params;
  if (!Array.isArray(given)) throw invalidParams();
  if (given.length < requiredCount || given.length > definition.params.length) throw invalidParams();
  return definition.params.map((param, i) => {
    const value = param.type.takesIntegers === false ? given[i] : textOfInteger(given[i]);
    return !param.required && (value === undefined || value === null) ? param.fallback : param.type.parse(value, tags);
  });
}

/** Whether a request has a valid id; an undefined id marks a notification. */
function isId(id: unknown): id is Id | undefined {
  if (id == null || typeof id === "number") return true;
  const text = id instanceof ExactNumber ? id.text : id;
  if (typeof text !== "string") return false;
  return text.length * 3 <= MAX_ID_BYTES || Buffer.byteLength(text) <= MAX_ID_BYTES;
}

/** The value of a JSON text, or undefined if it is malformed. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

function failure(id: Id, error: RpcError): RpcResponse {
  return { jsonrpc: "2.0", id, error: error.toObject() };
}

/** Serialises responses within a size limit; a response that exceeds it is replaced by an error. */
class ResponseWriter {
  private written = 0;

  constructor(private readonly limit: number) {}

  write(response: RpcResponse): string {
    const text = responseText(response);
    if (this.limit <= 0 || "error" in response) return text;
    const size = Buffer.byteLength(text);
    if (this.written + size > this.limit) return responseText(failure(response.id, sizeLimitExceeded(this.limit)));
    this.written += size;
    return text;
  }
}

/** Serialises a response. Results and ids that are JSON text already are inserted unchanged. */
function responseText(response: RpcResponse): string {
  const { id } = response;
  const result = "result" in response ? response.result : undefined;
  if (!(id instanceof ExactNumber) && !(result instanceof JsonText)) return JSON.stringify(response);
  const { jsonrpc, id: _, ...rest } = response;
  const idText = id instanceof ExactNumber ? id.text : JSON.stringify(id);
  const restText = result instanceof JsonText ? `"result":${result.text}}` : JSON.stringify(rest).slice(1);
  return `{"jsonrpc":"${jsonrpc}","id":${idText},${restText}`;
}

function withParsedResult<R extends RpcResponse | undefined>(response: R): R {
  if (response === undefined || !("result" in response) || !(response.result instanceof JsonText)) return response;
  return { ...response, result: response.result.toJSON() };
}
