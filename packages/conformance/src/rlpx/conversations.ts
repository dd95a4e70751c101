import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { FrameDecoder, FrameEncoder } from "@cambium/rlpx";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";
import { parsedValue, parseLines } from "../lines.js";
import { compareHandshake, type RecordedHandshake } from "./handshakes.js";
import { compareMessage } from "./messages.js";

type Direction = "send" | "recv";

/** A line of a conversation: the first is the handshake. */
type ConversationRecord =
  | (RecordedHandshake & { record: "handshake"; we: "initiator" | "responder" })
  | RecordedMessage
  | { record: "note" | "closed" };

interface RecordedMessage {
  record: "message";
  /** Seen from the side of `we`. */
  dir: Direction;
  code: number;
  name?: string;
  /** Absent if it is long. */
  payload?: string;
  /** Absent if it is `c180`. */
  headerData?: string;
  frame: string;
  fields: Readonly<Record<string, unknown>>;
  /** Deliberately wrong. */
  malformed?: boolean;
  /** A frame of a split message. */
  part?: boolean;
}

/** Whether it is a whole message of the capability; a message without a name was sent to be refused. */
function isMessage({ code, name, malformed, part }: RecordedMessage): boolean {
  return code >= 0x10 && name !== undefined && !name.startsWith("code ") && !malformed && !part;
}

/** Decodes the frames of a connection and their messages, in both directions and in order, and encodes them again. */
export async function* runConversation(file: VectorFile): AsyncGenerator<CaseResult> {
  const network = file.name.startsWith("main-network") ? NETWORKS.main : NETWORKS.local;
  let wire: Record<Direction, FrameWire> | undefined;
  for await (const parsed of parseLines(file, (json) => json as ConversationRecord)) {
    const record = parsedValue(parsed);
    if (record.record === "handshake") {
      const comparison = new Comparison("handshake");
      wire = wiresOf(comparison, record);
      yield comparison.result();
    } else if (record.record === "message") {
      const comparison = new Comparison(`line ${parsed.line}, ${record.dir} ${record.name ?? record.code}`);
      wire?.[record.dir].repeat(comparison, record, network);
      yield comparison.result();
    }
  }
}

/** One direction of a connection, read and written again. */
class FrameWire {
  constructor(
    private readonly decoder: FrameDecoder,
    private readonly encoder: FrameEncoder,
  ) {}

  repeat(comparison: Comparison, record: RecordedMessage, network: NetworkConfig): void {
    const { frame, code, payload, headerData, fields, name } = record;
    this.decoder.push(fromHex(frame));
    const decoded = this.decoder.next();
    comparison.equal("code", decoded?.code, code);
    if (decoded === undefined) return;
    if (payload !== undefined) comparison.equal("payload", toHex(decoded.payload), payload);
    const header = headerData === undefined ? undefined : fromHex(headerData);
    comparison.equal("frame", toHex(this.encoder.encode(decoded.code, decoded.payload, header)), frame);
    if (name === undefined || !isMessage(record)) return;
    compareMessage(comparison, { name, code, payload: decoded.payload, fields }, network, false);
  }
}

function wiresOf(
  comparison: Comparison,
  handshake: RecordedHandshake & { we: "initiator" | "responder" },
): Record<Direction, FrameWire> {
  const secrets = compareHandshake(comparison, handshake, handshake.we);
  const reversed = { ...secrets, egress: secrets.ingress, ingress: secrets.egress };
  return {
    send: new FrameWire(new FrameDecoder(reversed), new FrameEncoder(secrets)),
    recv: new FrameWire(new FrameDecoder(secrets), new FrameEncoder(reversed)),
  };
}
