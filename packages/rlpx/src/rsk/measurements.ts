import { counter, forEach } from "@cambium/primitives";
import { MESSAGES } from "./formats.js";
import type { RskMessage } from "./messages.js";

const TYPES = ["networkStatus", ...Object.keys(MESSAGES)] as RskMessage["type"][];
const HELP = "Bytes exchanged with peers, by wire, direction and protocol or message, without encryption and framing";

const bytes = (direction: "received" | "sent") =>
  forEach(TYPES, (protocol) => counter("cambium_peer_bytes_total", HELP, { wire: "rlpx", direction, protocol }));

export const RECEIVED = bytes("received");
export const SENT = bytes("sent");
