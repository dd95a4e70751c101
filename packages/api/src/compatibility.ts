import type { ChainReader } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import type { ApiConfig, Compatibility } from "./config.js";

/** Whether the deployed client's behaviour is served where it differs from the API document (`spec/09 §17.1`). */
export function isDeployed({ compatibility }: ApiConfig): boolean {
  return compatibility === "deployed";
}

/** Whether methods have the deployed ecosystem's names too, which pools call. */
export function hasMethodAliases({ aliases = true }: ApiConfig): boolean {
  return aliases;
}

/** Whether members of blocks also have the names that explorers read. Tools of developers know none of them. */
export function hasBlockAliases({
  chain,
  config,
}: {
  chain: Pick<ChainReader, "network">;
  config: ApiConfig;
}): boolean {
  return config.aliases ?? (isDeployed(config) || !isForDevelopment(chain.network));
}

/** Whether the methods for tools of developers behave as those tools expect where the API document differs. */
export function servesTools(parts: { chain: Pick<ChainReader, "network">; config: ApiConfig }): boolean {
  return compatibilityOf(parts) === "development";
}

/**
 * Whether a revert has Ethereum's code, by which viem recognises errors of contracts. The API document has another
 * code, so this must be requested.
 */
export function hasEthereumReverts({ compatibility }: ApiConfig): boolean {
  return compatibility === "development";
}

/** Whether a transaction to be signed gets the suggested gas price and the gas it needs, as Anvil does. */
export function fillsTransactions({ compatibility }: ApiConfig): boolean {
  return compatibility === "development";
}

/** Whether look-ups that the API document has without `pending` serve it, as client libraries of developers expect. */
export function servesPending(parts: { chain: Pick<ChainReader, "network">; config: ApiConfig }): boolean {
  return compatibilityOf(parts) !== "specification";
}

/** Returns the configured compatibility, or that of the network. */
export function compatibilityOf({
  chain,
  config,
}: {
  chain: Pick<ChainReader, "network">;
  config: ApiConfig;
}): Compatibility {
  const { compatibility = isForDevelopment(chain.network) ? "development" : "specification" } = config;
  return compatibility;
}
