import { encodeRlp, numberToBytes, type RlpInput } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { malformed } from "../rlp.js";
import { dataOf, firstElement, tupleIn } from "../tolerant-rlp.js";
import { type Field, requestId, withId } from "./fields.js";
import { MESSAGES, NETWORK_STATUS } from "./formats.js";
import { MAX_PAYLOAD_BYTES, SMALL_BYTES } from "./limits.js";
import type { MessageName, RskMessage } from "./messages.js";
import { FIRST_VERSION } from "./versions.js";

/** The codes of the capability (`spec/07 §A.3`); it starts at 0x10. */
const NETWORK_STATUS_CODE = 0x10;
const MESSAGE_CODE = 0x18;

const NAMES: ReadonlyMap<number, MessageName> = new Map(
  (Object.keys(MESSAGES) as MessageName[]).map((name) => [MESSAGES[name].number, name]),
);

/** A message as the transport sends it. */
export interface EncodedMessage {
  code: number;
  payload: Uint8Array;
}

/** Encodes a message. Throws {@link RlpxError} `TOO_LARGE` if it does not fit into a frame. */
export function encodeMessage(message: RskMessage): EncodedMessage {
  const encoded =
    message.type === "networkStatus"
      ? { code: NETWORK_STATUS_CODE, payload: encodeRlp(NETWORK_STATUS.encode(message)) }
      : { code: MESSAGE_CODE, payload: encodeEnvelope(message) };
  const bytes = encoded.payload.length;
  if (bytes > MAX_PAYLOAD_BYTES) {
    throw new RlpxError({ code: "TOO_LARGE", what: message.type, bytes, limit: MAX_PAYLOAD_BYTES });
  }
  return encoded;
}

/** Encodes `[[type, item(body)]]` (`spec/07 §A.3.2`). */
function encodeEnvelope(message: Exclude<RskMessage, { type: "networkStatus" }>): Uint8Array {
  const { number, content } = MESSAGES[message.type];
  // The format belongs to this message type, which the compiler cannot infer.
  const list = (content as Field<unknown>).encode(message);
  const body: RlpInput = "id" in message ? [requestId.encode(message.id), list] : list;
  return encodeRlp([[numberToBytes(number), encodeRlp(body)]]);
}

/**
 * Decodes a message of a connection with a version of the capability. Byte strings in it share the memory of `payload`.
 * Throws {@link RlpxError} `MALFORMED`: the connection must then be closed (`spec/07 §A.3.2`). Throws `UNKNOWN_MESSAGE`
 * for a type of a later version, which the version allows to ignore.
 */
export function decodeMessage(code: number, payload: Uint8Array, version = FIRST_VERSION): RskMessage {
  if (code === NETWORK_STATUS_CODE) return decodeNetworkStatus(payload);
  if (code !== MESSAGE_CODE) throw malformed("message", `code 0x${code.toString(16)}`);
  if (payload.length > MAX_PAYLOAD_BYTES) throw malformed("message", `${payload.length} bytes`);
  const outer = firstElement(payload, "message");
  const [envelope] = tupleIn(outer, "message", 1);
  const [number, body] = tupleIn(envelope!, "message", 2);
  const name = nameOf(dataOf(number!)[0], version);
  return decodeBody(name, dataOf(body!));
}

/** Returns the name of a type, which is one byte, regardless of what follows. */
function nameOf(number: number | undefined, version: number): MessageName {
  const name = number === undefined ? undefined : NAMES.get(number);
  if (name !== undefined && (MESSAGES[name].since ?? FIRST_VERSION) <= version) return name;
  if (number === undefined || version === FIRST_VERSION) throw malformed("message type", `${number}`);
  throw new RlpxError({ code: "UNKNOWN_MESSAGE", type: number });
}

function decodeNetworkStatus(payload: Uint8Array): RskMessage {
  const what = "networkStatus";
  if (payload.length > SMALL_BYTES) throw malformed(what, `${payload.length} bytes, more than ${SMALL_BYTES}`);
  return { type: what, ...NETWORK_STATUS.decode(firstElement(payload, what), what) };
}

function decodeBody(name: MessageName, body: Uint8Array): RskMessage {
  const { kind, content, maxBytes } = MESSAGES[name];
  if (body.length > maxBytes) throw malformed(name, `${body.length} bytes, more than ${maxBytes}`);
  const list = firstElement(body, name);
  if (kind === "notification") return { type: name, ...content.decode(list, name) } as RskMessage;
  const { id, content: inner } = withId(list, name);
  return { type: name, id, ...content.decode(inner, name) } as RskMessage;
}
