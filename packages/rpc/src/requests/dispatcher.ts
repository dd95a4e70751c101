import {
  Api,
  type ApiParts,
  Deadline,
  type MethodDefinition,
  nextTurn,
  noteLightRequest,
  RpcError,
  servesTools,
} from "@cambium/api";
import type { Logger } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import type { UsageCounter } from "../usage/usage-table.js";
import { Admission } from "./admission.js";
import { answerBatch } from "./batch.js";
import { ANYONE, type Caller, type Dispatcher, type OtherDispatcher, type TextAnswer } from "./interface.js";
import { MethodCalls } from "./method-calls.js";
import { BatchTooLong, parseRequest, refusalOf } from "./parsing.js";
import { failure, ResponseWriter, type RpcResponse, withParsedResult } from "./responses.js";
import { Routing } from "./routing.js";
import { enabledMethods, moduleVersions, remedies, servedMethods } from "./served-methods.js";
import { UsageCounts } from "./usage-counts.js";

/** Length above which texts are parsed, and their requests begun, in separate turns of the event loop. */
const LARGE_TEXT = 32_768;

/** The parts of a dispatcher. */
export interface DispatcherParts extends ApiParts {
  config: RpcConfig;
}

/**
 * Creates a dispatcher that serves a method table from the given parts. Needs no server. In a reader thread, `other`
 * answers all other methods, and requests that throw {@link IN_MAIN_THREAD}.
 */
export function createDispatcher(
  parts: DispatcherParts,
  methods: readonly MethodDefinition[],
  logger: Logger,
  other?: OtherDispatcher,
  usage?: UsageCounter,
): Dispatcher {
  return new MethodDispatcher(parts, methods, logger, other, new UsageCounts(usage));
}

class MethodDispatcher implements Dispatcher {
  private readonly config: RpcConfig;
  private readonly answersForTools: boolean;
  private readonly calls: MethodCalls;
  private readonly admission: Admission;
  /** Undefined if this dispatcher answers everything. */
  private readonly routing: Routing | undefined;

  constructor(
    parts: DispatcherParts,
    methods: readonly MethodDefinition[],
    logger: Logger,
    other: OtherDispatcher | undefined,
    private readonly usage: UsageCounts,
  ) {
    const { config } = parts;
    const api = new Api({ ...parts, versions: moduleVersions(config) }, enabledMethods(methods, config));
    const served = servedMethods(api, config);
    const dispatch = (request: object, caller: Caller) => this.dispatch(request, caller);
    this.config = config;
    this.answersForTools = servesTools(parts);
    this.calls = new MethodCalls(parts, api, served, remedies(methods, api, config), logger);
    this.admission = new Admission(usage);
    this.routing = other && new Routing(served, dispatch, other, usage);
  }

  async handle(request: unknown): Promise<RpcResponse | RpcResponse[] | undefined> {
    const refusal = refusalOf(request, this.config);
    if (refusal !== undefined) return failure(null, refusal);
    const deadline = Deadline.after(this.config.timeout);
    if (!Array.isArray(request)) return withParsedResult(await this.calls.answer(request, deadline, ANYONE));
    const responses: RpcResponse[] = [];
    await this.answerAll(request, deadline, ANYONE, (response) => {
      if (response !== undefined) responses.push(withParsedResult(response));
    });
    return responses.length > 0 ? responses : undefined;
  }

  async handleText(text: string, caller: Caller = ANYONE): Promise<TextAnswer> {
    const isLimited = caller.admit !== undefined;
    const refusal = isLimited ? await this.admission.ofText(text, caller) : undefined;
    if (refusal !== undefined) return refusal;
    const isLarge = text.length > LARGE_TEXT;
    if (isLarge) await nextTurn();
    else noteLightRequest();
    const request = parseRequest(text, this.config);
    if (request instanceof RpcError) return this.refused(request);
    if (isLarge) await nextTurn();
    const laterRefusal = isLimited ? await this.admission.ofRequest(request, text, caller) : undefined;
    if (laterRefusal !== undefined) return laterRefusal;
    return this.routing === undefined ? this.dispatch(request, caller) : this.routing.answer(request, text, caller);
  }

  private refused(error: RpcError): TextAnswer {
    const response = failure(null, error);
    const isList = error instanceof BatchTooLong && this.answersForTools;
    return { status: 400, body: JSON.stringify(isList ? [response] : response) };
  }

  private async dispatch(request: object, caller: Caller): Promise<TextAnswer> {
    const deadline = Deadline.after(this.config.timeout, caller.presence, caller.client);
    const body = Array.isArray(request)
      ? await this.batchText(request, deadline, caller)
      : await this.singleText(request, deadline, caller);
    return body === undefined ? { status: 204 } : { status: 200, body };
  }

  private async singleText(request: unknown, deadline: Deadline, caller: Caller): Promise<string | undefined> {
    const response = await this.calls.answer(request, deadline, caller);
    const text = response && new ResponseWriter(this.config.maxResponseSize).write(response);
    this.usage.answered(request, caller, text, response !== undefined && "error" in response);
    return text;
  }

  private async batchText(
    requests: readonly unknown[],
    deadline: Deadline,
    caller: Caller,
  ): Promise<string | undefined> {
    const writer = new ResponseWriter(this.config.maxResponseSize);
    const texts: string[] = [];
    // Counts of requests. Those forwarded to the main thread are counted in that thread.
    const counts: (() => void)[] = [];
    await this.answerAll(requests, deadline, caller, (response, request) => {
      const text = response && writer.write(response);
      if (text !== undefined) texts.push(text);
      counts.push(() => this.usage.answered(request, caller, text, response !== undefined && "error" in response));
    });
    for (const count of counts) count();
    return texts.length > 0 ? `[${texts.join(",")}]` : undefined;
  }

  private answerAll(
    requests: readonly unknown[],
    deadline: Deadline,
    caller: Caller,
    emit: (response: RpcResponse | undefined, request: unknown) => void,
  ): Promise<void> {
    const { calls } = this;
    const answer = (request: unknown) => calls.answer(request, deadline, caller);
    return answerBatch(requests, { answer, isHeavy: (request) => calls.isHeavy(request) }, emit);
  }
}
