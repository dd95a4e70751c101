import type { IncomingMessage } from "node:http";
import { isJsonObject, parseJson } from "@cambium/primitives";
import { HEAD_HEADER, type HeadTokens } from "../http/head-tokens.js";
import { failure, isId, responseText } from "../requests/responses.js";

/** Name of the member in requests and responses, and of the parameter in the address of a connection. */
const MEMBER = "head";

/** Heads in the request for a connection: the best block that the client has seen, and whether messages name it too. */
export interface AskedHead {
  token: string | undefined;
  inMessages: boolean;
}

/**
 * Parses `?head=true` or `?head=NUMBER-HASH`; the header `X-Head` alone concerns only the beginning of the connection.
 */
export function askedHead({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): AskedHead {
  const [, query = ""] = url.split("?", 2);
  const asked = new URLSearchParams(query).get(MEMBER) ?? undefined;
  const header = headers[HEAD_HEADER];
  const token = asked === undefined || asked === "true" ? (Array.isArray(header) ? header[0] : header) : asked;
  return { token, inMessages: asked !== undefined };
}

/** The best block in the messages of a connection whose client has requested it. */
export class MessageHeads {
  constructor(private readonly tokens: HeadTokens) {}

  /**
   * Waits for the blocks that the requests of a message name. Resolves to the answer if one is not reached, otherwise
   * to undefined.
   */
  async refusal(text: string): Promise<string | undefined> {
    if (!text.includes(`"${MEMBER}"`)) return undefined;
    const message = parseJson(text);
    const requests = (Array.isArray(message) ? message : [message]).filter(isJsonObject);
    for (const { head } of requests) {
      const error = await this.tokens.refusal(head);
      if (error === undefined) continue;
      const ids = requests.map(({ id }) => id).filter((id) => id !== undefined);
      const texts = ids.map((id) => responseText(failure(isId(id) ? (id ?? null) : null, error)));
      return Array.isArray(message) ? `[${texts.join(",")}]` : texts[0];
    }
    return undefined;
  }

  /** Returns an answer with the best block that it may show: in the response, or in the last one of a batch. */
  marked(answer: string): string {
    const end = answer.endsWith("}]") ? "}]" : "}";
    return `${answer.slice(0, -end.length)},"${MEMBER}":"${this.tokens.current()}"${end}`;
  }
}
