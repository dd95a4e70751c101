import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fromHex, parseIp, replaceFile, toHex } from "@cambium/primitives";
import type { DiscoveredNode, NodeStore } from "./interface.js";

const VERSION = 1;
const NODE_ID = /^[0-9a-f]{128}$/;

interface StoredNode {
  id: string;
  ip: string;
  udpPort: number;
  tcpPort: number;
}

/** Keeps nodes in a JSON file. `read` throws errors of the file system, or an `Error` for invalid content. */
export function nodeFile(path: string): NodeStore {
  return { read: () => readNodes(path), write: (nodes) => writeNodes(path, nodes) };
}

function readNodes(path: string): DiscoveredNode[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const content: unknown = JSON.parse(text);
  if (!isContent(content)) throw new Error("it is not a list of nodes of this version");
  return content.nodes.map(({ id, ip, udpPort, tcpPort }) => ({ id: fromHex(id), ip, udpPort, tcpPort }));
}

/** Replaces the file atomically and creates its folder. */
function writeNodes(path: string, nodes: readonly DiscoveredNode[]): void {
  const stored = nodes.map(({ id, ip, udpPort, tcpPort }): StoredNode => ({ id: toHex(id), ip, udpPort, tcpPort }));
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, JSON.stringify({ version: VERSION, nodes: stored }));
}

function isContent(value: unknown): value is { nodes: StoredNode[] } {
  if (!isRecord(value) || value.version !== VERSION || !Array.isArray(value.nodes)) return false;
  return value.nodes.every(isStoredNode);
}

function isStoredNode(value: unknown): value is StoredNode {
  if (!isRecord(value)) return false;
  const { id, ip, udpPort, tcpPort } = value;
  return (
    typeof id === "string" &&
    NODE_ID.test(id) &&
    typeof ip === "string" &&
    parseIp(ip)?.text === ip &&
    isPort(udpPort) &&
    isPort(tcpPort)
  );
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= 0xffff;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
