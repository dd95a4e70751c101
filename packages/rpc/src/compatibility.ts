import type { ChainReader } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import type { RpcConfig } from "./config.js";

/** Whether the deployed client's behaviour is served where it differs from 00. */
export function isDeployed({ compatibility }: RpcConfig): boolean {
  return compatibility === "deployed";
}

/** Whether look-ups for which 00 says "`pending` unsupported" serve it, as client libraries of developers expect. */
export function servesPending({ chain, config }: { chain: Pick<ChainReader, "network">; config: RpcConfig }): boolean {
  const { compatibility = isForDevelopment(chain.network) ? "development" : "specification" } = config;
  return compatibility !== "specification";
}
