import { METHODS, moduleConfig, type RpcConfig } from "../../src/index.js";
import type { DispatcherParts } from "../../src/requests/dispatcher.js";
import { RealChain } from "./real-chain.js";
import { ask, dispatcherOver, type Json, SILENT } from "./service.js";

/** A chain of real blocks, and all methods over it. */
export interface RealDispatcher {
  real: RealChain;
  /** Resolves to the `result`; rejects with the error object. */
  call(method: string, ...params: unknown[]): Promise<Json>;
}

export async function openOver(
  changes: Partial<RpcConfig> = {},
  parts: Partial<DispatcherParts> = {},
  chain?: RealChain,
): Promise<RealDispatcher> {
  const real = chain ?? (await RealChain.open());
  const names = [...new Set(METHODS.map(({ module }) => module))];
  const modules = Object.fromEntries(names.map((name) => [name, moduleConfig()]));
  const fake = { reader: () => real.chain } as unknown as Parameters<typeof dispatcherOver>[0];
  const dispatcher = dispatcherOver(fake, { modules, ...changes }, SILENT, parts);
  return { real, call: (method, ...params) => ask(dispatcher, method, ...params) };
}
