import { readFileSync } from "node:fs";
import { fromHex } from "@cambium/primitives";
import type { DiscoveryMessage, Endpoint } from "../../src/discovery/packets.js";

/** A line of `discovery.jsonl` (see the README next to it); byte strings are hex. */
export interface Row {
  /** Milliseconds since the start. */
  t: number;
  /** Direction from the recorder's side: `recv` is from the deployed node. */
  dir: "send" | "recv";
  /** Port of the recorder. */
  port: number;
  packet: string;
  note?: string;
  /** Effect of a packet; only for some. */
  result?: "nothing" | string[];
  /** The following members are missing in malformed packets. */
  sender?: string;
  privateKey?: string;
  name?: "Ping" | "Pong" | "FindNode" | "Neighbors";
  fields?: {
    messageId: string;
    networkId: number | null;
    from: Endpoint;
    to: Endpoint;
    nodeId: string;
    nodes: (Endpoint & { nodeId: string })[];
  };
}

export function readRows(path: string): Row[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}

/** The message of a row that is not malformed. */
export function messageOf({ name, fields }: Row): DiscoveryMessage {
  const { messageId, networkId, from, to, nodeId, nodes } = fields!;
  const envelope = networkId === null || networkId === undefined ? { messageId } : { messageId, networkId };
  if (name === "FindNode") return { kind: "findNode", nodeId: fromHex(nodeId), ...envelope };
  if (name === "Neighbors") {
    return { kind: "neighbors", nodes: nodes.map((node) => ({ ...node, nodeId: fromHex(node.nodeId) })), ...envelope };
  }
  return { kind: name === "Ping" ? "ping" : "pong", from, to, ...envelope };
}
