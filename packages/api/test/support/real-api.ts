import { RealChain } from "@cambium/test-utils/api/real-chain";
import type { ApiParts } from "../../src/api.js";
import type { ApiConfig } from "../../src/config.js";
import { apiOver, ask, type Json } from "./service.js";

/** A chain of real blocks, and all methods over it. */
export interface RealApi {
  real: RealChain;
  /** Resolves to the result; rejects with the error object. */
  call(method: string, ...params: unknown[]): Promise<Json>;
}

export async function openOver(
  changes: Partial<ApiConfig> = {},
  parts: Partial<ApiParts> = {},
  chain?: RealChain,
): Promise<RealApi> {
  const real = chain ?? (await RealChain.open());
  const service = apiOver({ reader: () => real.chain }, changes, parts);
  return { real, call: (method, ...params) => ask(service, method, ...params) };
}
