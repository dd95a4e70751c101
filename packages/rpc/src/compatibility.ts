import { isForDevelopment } from "@cambium/config";
import type { RpcModules } from "./requests/method.js";

type Served = Pick<RpcModules, "chain" | "config">;

/** Whether the deployed client's behaviour is served where it differs from 00. */
export function isDeployed({ compatibility }: Served["config"]): boolean {
  return compatibility === "deployed";
}

/** Whether look-ups for which 00 says "`pending` unsupported" serve it, as client libraries of developers expect. */
export function servesPending({ chain, config }: Served): boolean {
  const { compatibility = isForDevelopment(chain.network) ? "development" : "specification" } = config;
  return compatibility !== "specification";
}
