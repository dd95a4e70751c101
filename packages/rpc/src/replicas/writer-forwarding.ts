import { RpcError } from "@cambium/api";
import type { Logger } from "@cambium/primitives";
import type { OtherDispatcher, TextAnswer } from "../requests/interface.js";
import { failure, isId, responseText } from "../requests/responses.js";

/**
 * Sends the text of a JSON-RPC request to the writer. Resolves to its answer, empty for a notification. Rejects with an
 * error whose message tells the client why there is none.
 */
export type WriterRequest = (text: string) => Promise<string>;

/** Forwards requests that a replica cannot answer to its writer. */
export class WriterForwarding implements OtherDispatcher {
  readonly isWriter = true;

  constructor(
    private readonly request: WriterRequest,
    private readonly logger: Logger,
  ) {}

  async handleText(text: string): Promise<TextAnswer> {
    try {
      const body = await this.request(text);
      return body === "" ? { status: 204 } : { status: 200, body };
    } catch (error) {
      const { message } = error as Error;
      this.logger.debug({ reason: message }, "A request could not be forwarded to the writer");
      return awayAnswer(text, message);
    }
  }
}

function awayAnswer(text: string, reason: string): TextAnswer {
  const { id } = JSON.parse(text) as { id?: unknown };
  if (id === undefined) return { status: 204 };
  const error = new RpcError({ code: "WRITER_AWAY", text: `The writer of this replica did not answer: ${reason}` });
  return { status: 200, body: responseText(failure(isId(id) ? (id ?? null) : null, error)) };
}
