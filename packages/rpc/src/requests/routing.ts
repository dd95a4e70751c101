import { parseJson } from "@cambium/primitives";
import { PENDING } from "./answer-cache.js";
import {
  type Caller,
  entriesOf,
  IN_MAIN_THREAD,
  methodOf,
  type OtherDispatcher,
  type TextAnswer,
} from "./interface.js";
import type { ServedMethod } from "./served-methods.js";
import type { UsageCounts } from "./usage-counts.js";

/** Maximum length of an error; longer answers of a writer are no errors. */
const MAX_ERROR_LENGTH = 4_096;

/** Answers a valid request or batch in this thread. Rejects with {@link IN_MAIN_THREAD} if that is impossible. */
type Dispatch = (request: object, caller: Caller) => Promise<TextAnswer>;

/** Decides which requests this thread answers; subscriptions belong to it. */
export class Routing {
  constructor(
    private readonly served: ReadonlyMap<string, ServedMethod>,
    private readonly dispatch: Dispatch,
    private readonly other: OtherDispatcher,
    private readonly usage: UsageCounts,
  ) {}

  /** Answers a valid request or batch with the text `text`, in this thread if possible. */
  async answer(request: object, text: string, caller: Caller): Promise<TextAnswer> {
    const { other } = this;
    const methods = entriesOf(request).map((entry) => this.served.get(methodOf(entry))?.definition);
    const isHere = methods.every((method) => method !== undefined);
    const isSplit = other.isWriter
      ? text.includes(PENDING) || methods.some((method) => method?.reads !== "chain")
      : !isHere && methods.some((method) => method?.needsConnection);
    if (isSplit && Array.isArray(request)) return this.answerEach(request, caller);
    try {
      // A method that a replica does not know is not answered by its writer either.
      if (isHere || other.isWriter) return await this.dispatch(request, caller);
    } catch (error) {
      if (error !== IN_MAIN_THREAD) throw error;
    }
    const answer = await other.handleText(text, caller);
    // The main thread counts its own answers.
    if (other.isWriter) this.usage.answered(request, caller, answer.body, isErrorText(answer.body));
    return answer;
  }

  private async answerEach(requests: readonly unknown[], caller: Caller): Promise<TextAnswer> {
    const texts: string[] = [];
    for (const request of requests) {
      const { body } = await this.answer(request as object, JSON.stringify(request), caller);
      if (body !== undefined) texts.push(body);
    }
    return texts.length > 0 ? { status: 200, body: `[${texts.join(",")}]` } : { status: 204 };
  }
}

function isErrorText(text: string | undefined): boolean {
  if (text === undefined || text.length > MAX_ERROR_LENGTH) return false;
  const value = parseJson(text);
  return typeof value === "object" && value !== null && "error" in value;
}
