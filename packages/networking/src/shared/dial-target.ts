import { parseEnode, RlpxError } from "@cambium/rlpx";
import { NetworkingError } from "../errors.js";
import type { PeerId } from "../interface.js";
import { peerIdOf } from "./peer-id.js";

/** A node of the deployed network that can be dialled. */
export interface DialTarget {
  id: PeerId;
  /** Node id, 64 bytes. */
  nodeId: Uint8Array;
  /** IP address or host name. */
  host: string;
  port: number;
}

/** Returns the node of an enode URL. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function targetOf(text: string, option: string): DialTarget {
  try {
    const { id: nodeId, host, tcpPort } = parseEnode(text, option);
    return { id: peerIdOf(nodeId)!, nodeId, host, port: tcpPort };
  } catch (error) {
    throw error instanceof RlpxError ? fromRlpx(error) : error;
  }
}

/** Converts an error of the options or listeners to one of this package; returns others unchanged. */
export function fromRlpx(error: RlpxError): unknown {
  const { details } = error;
  if (details.code !== "INVALID_OPTION" && details.code !== "LISTEN_FAILED") return error;
  return new NetworkingError(details, { cause: error });
}
