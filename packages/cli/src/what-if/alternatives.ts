import type { Simulation } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { LocalCall, Tracer, TransactionOutcome } from "@cambium/evm";
import { CliError } from "../errors.js";

/** The rules that an execution is compared with. */
export interface Alternative {
  /** As reports show it. */
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

/** A network on which further rules are active from the first block on: names such as `rskip555`, between commas. */
export async function networkWithRules(names: string, network: NetworkConfig): Promise<NetworkConfig> {
  const { RULE_NAMES } = await import("@cambium/config");
  const wanted = names.split(",");
  if (!wanted.every((name) => RULE_NAMES.some((rule) => rule === name))) {
    throw invalid("--rules", names, "names of this chain's rules, such as rskip555");
  }
  const ruleHeights = { ...network.ruleHeights, ...Object.fromEntries(wanted.map((name) => [name, 0])) };
  return { ...network, ruleHeights };
}

/** The rules of this chain with more of them active. */
export async function furtherRules(names: string, network: NetworkConfig): Promise<Alternative> {
  const changed = await networkWithRules(names, network);
  const { createChainEvm } = await import("@cambium/chain");
  const evm = createChainEvm(changed);
  return {
    name: `with ${names}`,
    execute: async (call, { state, block }, tracer) => evm.simulate(call, block, state, tracer),
  };
}

export function invalid(option: string, value: string, expected: string): CliError {
  return new CliError({ code: "INVALID_OPTION", option, value, expected });
}
