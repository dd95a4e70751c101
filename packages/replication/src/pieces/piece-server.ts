import { EMPTY_BYTES, type Logger } from "@cambium/primitives";
import { headers, type NatsConnection, nuid } from "@nats-io/transport-node";
import { headersOf, listen } from "../connection.js";
import { ForeignMessages } from "../foreign-messages.js";
import type { SealedStream } from "../seal.js";
import {
  type AnswerKind,
  cancelSubject,
  FROM_HEADER,
  KIND_HEADER,
  type PieceServerState,
  pieceSubject,
  SIGN_INTERVAL,
  serviceName,
  TIMEOUT_HEADER,
} from "./piece-messages.js";
import { announceService } from "./service-discovery.js";

/** Largest content of a message, and bytes of its headers. */
const MAX_PART = 512 * 1024;
const HEADER_BYTES = 1_024;

export interface PieceServing {
  /** Changes with the state of this replica. */
  state(): PieceServerState;
  /** The text of a piece's result; undefined if a limit is exceeded. Rejects if it cannot be searched here, and when the signal aborts. */
  search(piece: string, from: string, timeout: number, signal: AbortSignal): Promise<string | undefined>;
}

/** Serves pieces of other nodes' searches until the connection is closed. Returns the id of this replica among those that do. */
export function servePieces(
  connection: NatsConnection,
  address: SealedStream,
  { state, search }: PieceServing,
  logger: Logger,
): string {
  const id = nuid.next();
  const subject = pieceSubject(address, id);
  /** Searches by the inbox for their result. */
  const underWay = new Map<string, AbortController>();
  const { seal } = address;
  const foreign = ForeignMessages.unsealed(logger, "piece");

  const answer = async (piece: string, { reply, timeout, from }: PieceRequestHeaders): Promise<void> => {
    if (underWay.has(reply)) return;
    const stopped = new AbortController();
    underWay.set(reply, stopped);
    let number = 0;
    const send = (kind: AnswerKind, content: Uint8Array = EMPTY_BYTES) => {
      if (connection.isClosed()) return;
      const own = headers();
      own.set(KIND_HEADER, kind);
      seal.addTo(own, "piece-answer", [reply, number++, kind], content);
      connection.publish(reply, content, { headers: own });
    };
    send("working");
    const signs = setInterval(() => send("working"), SIGN_INTERVAL);
    try {
      const text = await search(piece, from, Number(timeout) || 1, stopped.signal);
      if (text === undefined) send("limit");
      else if (!stopped.signal.aborted) sendParts(Buffer.from(text), partBytes(connection), send);
    } catch (error) {
      const { message: reason } = error as Error;
      logger.debug({ reason }, "A piece of a search was not answered");
      send("failed", Buffer.from(reason));
    } finally {
      clearInterval(signs);
      underWay.delete(reply);
    }
  };

  listen(connection, subject, (message) => {
    const { reply = "", data } = message;
    const own = headersOf(() => message.headers);
    const [timeout, from] = [own?.get(TIMEOUT_HEADER) ?? "", own?.get(FROM_HEADER) ?? ""];
    if (seal.isIn(own, "piece", [subject, reply, timeout, from], data)) {
      void answer(message.string(), { reply, timeout, from });
    } else foreign.skipped({ subject });
  });
  listen(connection, cancelSubject(subject), (message) => {
    const own = headersOf(() => message.headers);
    if (seal.isIn(own, "piece-end", [subject], message.data)) underWay.get(message.string())?.abort();
  });
  announceService(connection, {
    name: serviceName(address),
    id,
    version: "1.0.0",
    description: "searches pieces of wide log and trace queries of other nodes",
    endpoint: { name: "pieces", subject },
    data: state,
  });
  return id;
}

/** Inbox of the answer, time limit in milliseconds and requesting node, as text from the message. */
interface PieceRequestHeaders {
  reply: string;
  timeout: string;
  from: string;
}

function sendParts(bytes: Uint8Array, length: number, send: (kind: AnswerKind, content: Uint8Array) => void): void {
  let start = 0;
  for (; bytes.length - start > length; start += length) send("part", bytes.subarray(start, start + length));
  send("end", bytes.subarray(start));
}

function partBytes(connection: NatsConnection): number {
  return Math.min(MAX_PART, (connection.info?.max_payload ?? MAX_PART) - HEADER_BYTES);
}
