import { createDecipheriv } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { decodeRlpItem, fromHex } from "@cambium/primitives";
import { vectorPath } from "@cambium/test-utils/vectors";

// The recordings of `test/vectors/rlpx`.

/** Fields as JSON: bytes in hex, large numbers as strings. */
// biome-ignore lint/suspicious/noExplicitAny: the shape differs with each message, and a missing field fails its test.
export type Json = any;

export interface RecordedMessage {
  name: string;
  code: number;
  payload: Uint8Array;
  fields: Json;
  note: string | undefined;
}

/** A catalogue of each type of message, with all bytes of blocks, headers and transactions in the fields. */
export function catalogue(): RecordedMessage[] {
  const { messages } = parse(contentOf(vectorPath("rlpx", "messages.json.gz")));
  return messages.map((message: Json) => ({ ...message, payload: fromHex(message.payload) }));
}

/** The messages of a recorded connection, of both sides, in order. */
export function conversations(): { name: string; messages: RecordedMessage[] }[] {
  const folder = vectorPath("rlpx", "conversations");
  return readdirSync(folder).map((name) => ({ name, messages: decrypt(contentOf(`${folder}/${name}`)) }));
}

/** Behaviour of the deployed client on input that it never sends itself. */
export function malformedCases(): Json[] {
  return parse(contentOf(vectorPath("rlpx", "malformed.json"))).cases;
}

function contentOf(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}

/** Ids above the safe integers become strings. */
function parse(text: string): Json {
  return JSON.parse(text.replace(/"id": ?([0-9]{16,})/g, '"id":"$1"'));
}

/** Decrypts the messages; omits split and malformed ones. MACs are not checked. */
function decrypt(lines: string): RecordedMessage[] {
  const [{ secrets }, ...records] = lines
    .split("\n")
    .filter((line) => line !== "")
    .map(parse);
  const streams = { send: new FrameReader(secrets.aes), recv: new FrameReader(secrets.aes) };
  const messages: RecordedMessage[] = [];
  for (const { record, dir, frame, part, malformed, name, code, fields, note } of records) {
    if (record !== "message") continue;
    const payload = streams[dir as "send" | "recv"].read(fromHex(frame));
    if (!part && !malformed) messages.push({ name, code, fields, note, payload });
  }
  return messages;
}

class FrameReader {
  private readonly cipher;

  constructor(key: string) {
    this.cipher = createDecipheriv("aes-256-ctr", fromHex(key), new Uint8Array(16));
  }

  /** The payload of an encrypted frame (`spec/07 §A.2.3`). */
  read(frame: Uint8Array): Uint8Array {
    const header = this.cipher.update(frame.subarray(0, 16));
    const body = Uint8Array.from(this.cipher.update(frame.subarray(32, -16)).subarray(0, header.readUIntBE(0, 3)));
    return body.subarray(decodeRlpItem(body).end);
  }
}
