import type { IncomingHttpHeaders } from "node:http";
import type { RequestHead } from "./access.js";

/** The head of a request that arrives in one piece and requests only the answer to its body. */
export interface PlainHead extends RequestHead {
  /** Bytes of the head, including the empty line at its end. */
  headLength: number;
  /** Bytes of head and body. */
  length: number;
}

const END = "\r\n\r\n";
/** Maximum length of a head in bytes; longer ones are left to Node.js. */
const MAX_BYTES = 2_048;
/** Number of remembered heads: nearly all requests of a client have the same one, except for the length of the body. */
const MAX_KNOWN = 1_000;

const REQUEST_LINE = /^POST ([\x21-\x7e]+) HTTP\/1\.1$/;
const HEADER = /^([\w!#$%&'*+.^`|~-]+): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
const LENGTH = /^\d{1,6}$/;

/** Headers that request more than an answer, or state that the body is not plain bytes of a given length. */
const SPECIAL: ReadonlySet<string> = new Set([
  "content-encoding",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Recognises the heads of plain requests. All others, including malformed ones, are left to Node.js's parser. */
export class RequestHeads {
  private readonly known = new Map<string, PlainHead>();

  /** Longer bodies, and requests that `isServed` does not admit, are left to Node.js, which refuses them. */
  constructor(
    private readonly maxBodyBytes: number,
    private readonly isServed: (head: PlainHead) => boolean,
  ) {}

  /** Forgets known heads, because the set of served requests has changed. */
  forget(): void {
    this.known.clear();
  }

  /** Returns the head of the plain request that `chunk` consists of; undefined for anything else. */
  of(chunk: Buffer): PlainHead | undefined {
    const end = chunk.indexOf(END, 0, "latin1");
    if (end < 0 || end > MAX_BYTES) return undefined;
    const text = chunk.toString("latin1", 0, end);
    const head = this.known.get(text) ?? this.remember(text);
    return head?.length === chunk.length ? head : undefined;
  }

  private remember(text: string): PlainHead | undefined {
    const head = plainHead(text);
    if (head === undefined || head.length - head.headLength > this.maxBodyBytes) return undefined;
    if (!this.isServed(head)) return undefined;
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(text, head);
    return head;
  }
}

function plainHead(text: string): PlainHead | undefined {
  const [requestLine, ...lines] = text.split("\r\n");
  const url = REQUEST_LINE.exec(requestLine!)?.[1];
  const headers = url === undefined ? undefined : plainHeaders(lines);
  const bodyLength = headers?.["content-length"];
  if (headers === undefined || bodyLength === undefined || !LENGTH.test(bodyLength)) return undefined;
  const headLength = text.length + END.length;
  return { method: "POST", url: url!, headers, headLength, length: headLength + Number(bodyLength) };
}

/** Headers by their names in lower case; undefined if one is malformed, repeated or special. */
function plainHeaders(lines: readonly string[]): IncomingHttpHeaders | undefined {
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) {
    const [, given, value] = HEADER.exec(line) ?? [];
    if (given === undefined) return undefined;
    const name = given.toLowerCase();
    const isPlain = name === "connection" ? value!.toLowerCase() === "keep-alive" : !SPECIAL.has(name);
    if (!isPlain || Object.hasOwn(headers, name)) return undefined;
    headers[name] = value;
  }
  return headers;
}
