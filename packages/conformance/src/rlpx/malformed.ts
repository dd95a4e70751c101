import { fromHex, toHex } from "@cambium/primitives";
import { agreementKey, decodeAuth, decodeMessage, encodeMessage, PacketReader, RlpxError } from "@cambium/rlpx";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";

interface RecordedMessage {
  code: number;
  payload: string;
}

interface MalformedCase {
  name: string;
  /** A handshake packet, messages after the handshake, or one message. */
  input: { auth?: string; sent?: readonly RecordedMessage[] } & Partial<RecordedMessage>;
  /** Whether the deployed client closed the connection. */
  closed: boolean;
  result: string;
}

/** Key of the deployed client in the recordings. */
const KEY = agreementKey(new Uint8Array(32).fill(0x11));
const HELLO = 0x00;
const FIRST_CAPABILITY_CODE = 0x10;
const NOT_OF_MESSAGES = /^(first message|frame) /;
/** Lists whose content is checked only where it is used. */
const CHECKED_LATER: ReadonlySet<string> = new Set(["tx unparsable", "block unparsable"]);

/** The cases that are decided by decoding: handshake packets, and messages of the capability. */
export function* runMalformed(file: VectorFile): Iterable<CaseResult> {
  const { cases } = JSON.parse(file.text()) as { cases: readonly MalformedCase[] };
  for (const one of cases) {
    const messages = messagesOf(one);
    const comparison = new Comparison(one.name);
    if (one.input.auth !== undefined) compareAuth(comparison, one, fromHex(one.input.auth));
    else if (messages.length > 0) compareMessages(comparison, one, messages);
    else continue;
    yield comparison.result();
  }
}

/** Messages of the capability; none if the case is about their order or their frames. */
function messagesOf({ name, input: { sent, code, payload } }: MalformedCase): RecordedMessage[] {
  if (NOT_OF_MESSAGES.test(name)) return [];
  const messages = sent ?? (code === undefined ? [] : [{ code, payload: payload! }]);
  return messages[0]?.code === HELLO ? [] : messages.filter((message) => message.code >= FIRST_CAPABILITY_CODE);
}

/** The deployed client loses a packet that is cut (`spec/07 §A.2.2`), which this node does not. */
function compareAuth(comparison: Comparison, { name, result }: MalformedCase, auth: Uint8Array): void {
  const isValid = result.startsWith("connection goes on") || name.includes("split");
  const opened = attempt(() => new PacketReader("auth", KEY).push(auth));
  const decoded = opened && attempt(() => decodeAuth(opened.plaintext, opened.form));
  comparison.equal("validity", decoded !== undefined, isValid);
}

function compareMessages(
  comparison: Comparison,
  { name, closed, result }: MalformedCase,
  messages: readonly RecordedMessage[],
): void {
  const isClosedByDecoding = closed && result.includes("no Disconnect") && !CHECKED_LATER.has(name);
  const decoded = messages.map(({ code, payload }) => attempt(() => decodeMessage(code, fromHex(payload))));
  comparison.equal(
    "validity",
    decoded.every((message) => message !== undefined),
    !isClosedByDecoding,
  );
  for (const [i, message] of decoded.entries()) {
    if (message === undefined) continue;
    // Unusual forms are read, but not written.
    const { code, payload } = encodeMessage(message);
    const again = encodeMessage(decodeMessage(code, payload)).payload;
    comparison.equal(`payload ${i}`, toHex(again), toHex(payload));
  }
}

/** Undefined if the bytes are refused. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RlpxError) return undefined;
    throw error;
  }
}
