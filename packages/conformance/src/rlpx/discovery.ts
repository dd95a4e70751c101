import { fromHex, toHex } from "@cambium/primitives";
import {
  type DiscoveryMessage,
  decodeDiscoveryPacket,
  encodeDiscoveryPacket,
  RlpxError,
  recoverDiscoverySender,
} from "@cambium/rlpx";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";
import { parsedValue, parseLines } from "../lines.js";

type Kind = DiscoveryMessage["kind"];
type Name = "Ping" | "Pong" | "FindNode" | "Neighbors";

const KINDS: Readonly<Record<Name, Kind>> = {
  Ping: "ping",
  Pong: "pong",
  FindNode: "findNode",
  Neighbors: "neighbors",
};
/** A UUID of version 4, the only message id that is accepted. */
const MESSAGE_ID = /^[^-]{8}-[^-]{4}-4[^-]{3}-[^-]{4}-[^-]{12}$/;

interface RecordedPacket {
  packet: string;
  note?: string;
  /** Deliberately wrong packets have none of the following members. */
  name?: Name;
  sender?: string;
  privateKey?: string;
  fields?: { messageId: string };
  /** Reaction of the deployed node to the packet; recorded only for some. */
  result?: "nothing" | readonly Name[];
}

/** Decodes the recorded UDP packets and encodes them again; signatures are deterministic. */
export async function* runDiscovery(file: VectorFile): AsyncGenerator<CaseResult> {
  for await (const parsed of parseLines(file, (json) => json as RecordedPacket)) {
    const recorded = parsedValue(parsed);
    const comparison = new Comparison(`line ${parsed.line}, ${recorded.name ?? recorded.note}`);
    const packet = fromHex(recorded.packet);
    const message = decoded(packet);
    if (mustBeRefused(recorded)) comparison.equal("refused", message === undefined, true);
    else if (message === undefined) comparison.equal("refused", true, false);
    else if (recorded.name !== undefined) repeat(comparison, packet, message, recorded);
    yield comparison.result();
  }
}

function mustBeRefused({ name, fields, result }: RecordedPacket): boolean {
  return name === undefined ? result === "nothing" : !MESSAGE_ID.test(fields!.messageId);
}

function repeat(comparison: Comparison, packet: Uint8Array, message: DiscoveryMessage, recorded: RecordedPacket): void {
  const { name, sender, privateKey, fields } = recorded;
  const { kind, ...actual } = message;
  comparison.equal("kind", kind, KINDS[name!]);
  comparison.equal("fields", JSON.stringify(actual, bytesAsHex), JSON.stringify(fields));
  comparison.equal("sender", toHex(recoverDiscoverySender(packet)), sender);
  if (privateKey === undefined) return;
  comparison.equal("packet", toHex(encodeDiscoveryPacket(message, fromHex(privateKey))), recorded.packet);
}

function bytesAsHex(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? toHex(value) : value;
}

/** Undefined if the packet is refused. */
function decoded(packet: Uint8Array): DiscoveryMessage | undefined {
  try {
    return decodeDiscoveryPacket(packet);
  } catch (error) {
    if (error instanceof RlpxError) return undefined;
    throw error;
  }
}
