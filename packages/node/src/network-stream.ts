import { buildGenesis } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { type SealedStream, sealedStream } from "@cambium/replication";
import type { KeyedStream } from "./options.js";

/** Returns the stream with the seal for its keys and network. */
export function networkStream(stream: KeyedStream, network: NetworkConfig): SealedStream {
  const { block } = buildGenesis(network, { put: () => undefined });
  return sealedStream(stream, { genesis: block.hash, keys: stream.keys });
}
