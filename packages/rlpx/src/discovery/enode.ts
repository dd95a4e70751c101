import { concatBytes, decodePoint, fromHex } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import type { BootNode } from "./interface.js";

const NODE_ID = /^[0-9a-f]{128}$/i;
const UNCOMPRESSED = Uint8Array.of(4);

/**
 * Parses a node with its id: `enode://<128 hex digits>@<host>:<TCP port>`, and `?discport=<UDP port>` if that differs
 * (0 if the node takes no part in discovery). Throws {@link RlpxError} `INVALID_OPTION` that names `option`.
 */
export function parseEnode(text: string, option: string): Required<BootNode> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "enode:") throw invalid(option, `${text} is not of the form enode://<id>@<host>:<port>`);
  if (!NODE_ID.test(url.username)) throw invalid(option, `the node id in ${text} is not 128 hex digits`);
  const id = fromHex(url.username);
  if (decodePoint(concatBytes(UNCOMPRESSED, id)) === undefined) {
    throw invalid(option, `the node id in ${text} is not a public key`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const tcpPort = Number(url.port);
  if (host === "" || tcpPort === 0) throw invalid(option, `${text} lacks a host or a port`);
  return { id, host, tcpPort, udpPort: udpPortOf(url, option) ?? tcpPort };
}

function udpPortOf({ searchParams, href }: URL, option: string): number | undefined {
  const text = searchParams.get("discport");
  if (text === null) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw invalid(option, `discport in ${href} is not a port`);
  return Number(text);
}

function invalid(option: string, reason: string): RlpxError {
  return new RlpxError({ code: "INVALID_OPTION", option, reason });
}
