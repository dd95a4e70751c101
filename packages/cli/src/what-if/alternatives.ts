import type { Simulation } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { LocalCall, Tracer, TransactionOutcome } from "@cambium/evm";
import { invalid } from "../errors.js";

/** The rules that an execution is compared with. */
export interface Alternative {
  /** Name of the rules in reports. */
  readonly name: string;
  execute(call: LocalCall, simulation: Simulation, tracer: Tracer): Promise<TransactionOutcome>;
}

/** The rules of a hard fork of Ethereum. */
export async function ethereumRules(hardforkName: string, { chainId }: NetworkConfig): Promise<Alternative> {
  const { ETHEREUM_HARDFORKS, ethereumHardfork } = await import("@cambium/evm");
  const hardfork = ethereumHardfork(hardforkName);
  if (hardfork === undefined) throw invalid("--hardfork", hardforkName, `one of ${ETHEREUM_HARDFORKS.join(", ")}`);
  const { executeEthereum } = await import("@cambium/evm/ethereum");
  return {
    name: `ethereum/${hardfork}`,
    execute: (call, { state, block }, tracer) => executeEthereum(call, { hardfork, chainId, state, block, tracer }),
  };
}

/** Returns a network on which further rules are active from the first block on, by names such as `rskip555`. */
export async function networkWithRules(names: readonly string[], network: NetworkConfig): Promise<NetworkConfig> {
  const { RULE_NAMES } = await import("@cambium/config");
  const unknown = names.length === 0 ? "" : names.find((name) => !RULE_NAMES.some((rule) => rule === name));
  if (unknown !== undefined) throw invalid("--rules", unknown, "names of this chain's rules, such as rskip555");
  const ruleHeights = { ...network.ruleHeights, ...Object.fromEntries(names.map((name) => [name, 0])) };
  return { ...network, ruleHeights };
}

/** The rules of this chain with more of them active. */
export async function furtherRules(names: readonly string[], network: NetworkConfig): Promise<Alternative> {
  const changed = await networkWithRules(names, network);
  const { createChainEvm } = await import("@cambium/chain");
  const evm = createChainEvm(changed);
  return {
    name: `with ${names.join(",")}`,
    execute: async (call, { state, block }, tracer) => evm.simulate(call, block, state, tracer),
  };
}
