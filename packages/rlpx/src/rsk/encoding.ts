import { encodeRlp, numberToBytes, type RlpInput } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { malformed, readBytes, readTuple, readUint, readWhole } from "../rlp.js";
import { type Field, requestId } from "./fields.js";
import { MESSAGES, NETWORK_STATUS } from "./formats.js";
import { MAX_PAYLOAD_BYTES, SMALL_BYTES } from "./limits.js";
import type { MessageName, RskMessage } from "./messages.js";

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

/** Throws {@link RlpxError} `TOO_LARGE` if the message does not fit into a frame. */
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

/** `[[type, item(body)]]` (`spec/07 §A.3.2`). */
function encodeEnvelope(message: Exclude<RskMessage, { type: "networkStatus" }>): Uint8Array {
  const { number, content } = MESSAGES[message.type];
  // The format belongs to this type of message, but the compiler cannot infer that.
  const list = (content as Field<unknown>).encode(message);
  const body: RlpInput = "id" in message ? [requestId.encode(message.id), list] : list;
  return encodeRlp([[numberToBytes(number), encodeRlp(body)]]);
}

/**
 * Decodes a message. Byte strings in it share the memory of `payload`. Throws {@link RlpxError} `MALFORMED`: then the
 * connection must be closed (`spec/07 §A.3.2`).
 */
export function decodeMessage(code: number, payload: Uint8Array): RskMessage {
  if (code === NETWORK_STATUS_CODE) return decodeNetworkStatus(payload);
  if (code !== MESSAGE_CODE) throw malformed("message", `code 0x${code.toString(16)}`);
  if (payload.length > MAX_PAYLOAD_BYTES) throw malformed("message", `${payload.length} bytes`);
  const [envelope] = readTuple(readWhole(payload, "message"), "message", 1);
  const [number, body] = readTuple(envelope!, "message", 2);
  const type = readUint(number!, "message type");
  const name = NAMES.get(type);
  if (name === undefined) throw malformed("message type", `${type}`);
  return decodeBody(name, readBytes(body!, name, MESSAGES[name].maxBytes));
}

function decodeNetworkStatus(payload: Uint8Array): RskMessage {
  const what = "networkStatus";
  if (payload.length > SMALL_BYTES) throw malformed(what, `${payload.length} bytes, more than ${SMALL_BYTES}`);
  return { type: what, ...NETWORK_STATUS.decode(readWhole(payload, what), what) };
}

function decodeBody(name: MessageName, body: Uint8Array): RskMessage {
  const { kind, content } = MESSAGES[name];
  const list = readWhole(body, name);
  if (kind === "notification") return { type: name, ...content.decode(list, name) } as RskMessage;
  const [id, inner] = readTuple(list, name, 2);
  return { type: name, id: requestId.decode(id!, `${name} id`), ...content.decode(inner!, name) } as RskMessage;
}
