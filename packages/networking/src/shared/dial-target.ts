import { parseEnode, RlpxError } from "@cambium/rlpx";
import { NetworkingError } from "../errors.js";
import type { PeerId } from "../interface.js";
import { peerIdOf } from "./peer-id.js";

/** A node of the deployed network that can be dialled. */
export interface DialTarget {
  id: PeerId;
  /** 64 bytes. */
  nodeId: Uint8Array;
  /** An address or a name. */
  host: string;
  port: number;
}

/** The node of an enode URL. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function targetOf(text: string, option: string): DialTarget {
  try {
    const { id: nodeId, host, tcpPort } = parseEnode(text, option);
    return { id: peerIdOf(nodeId)!, nodeId, host, port: tcpPort };
  } catch (error) {
    throw error instanceof RlpxError ? fromRlpx(error) : error;
  }
}

/** An error of the options or listeners as one of this package; others are returned as they are. */
export function fromRlpx(error: RlpxError): unknown {
  const { details } = error;
  if (details.code !== "INVALID_OPTION" && details.code !== "LISTEN_FAILED") return error;
  return new NetworkingError(details, { cause: error });
}
