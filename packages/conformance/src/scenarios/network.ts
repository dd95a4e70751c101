import type { Genesis } from "@cambium/chain-store";
import { type NetworkConfig, RULE_NAMES, type RuleName } from "@cambium/config";
import { equalBytes, fromHex } from "@cambium/primitives";
import { type NodeSink, Trie } from "@cambium/trie";
import { Block } from "@cambium/types";
import { recordedNetwork } from "../networks.js";
import type { ScenarioCase } from "./format.js";

/** This node's rule names by their names in vectors, ignoring case and underscores. */
const RULES = new Map(RULE_NAMES.map((rule) => [rule.toLowerCase(), rule]));

/** The network of a scenario: that of its chain id, with the scenario's rules. */
export function scenarioNetwork({ name, rules }: ScenarioCase): NetworkConfig {
  const base = recordedNetwork(rules.chainId);
  if (base === undefined) throw new Error(`no network with chain id ${rules.chainId}`);
  return {
    ...base,
    name: `scenario ${name}`,
    ruleHeights: { ...base.ruleHeights, ...ruleHeights(rules.activations) },
    sequentialOnlyContracts: rules.concurrentContractsDisallowed.map(fromHex),
  };
}

function ruleHeights(activations: Record<string, number>): Partial<Record<RuleName, number>> {
  const heights: Partial<Record<RuleName, number>> = {};
  for (const [name, height] of Object.entries(activations)) {
    const rule = RULES.get(name.toLowerCase().replaceAll("_", ""));
    if (rule === undefined) throw new Error(`unknown rule ${name}`);
    heights[rule] = height;
  }
  return heights;
}

/** Builds the given block 0 with a state from raw trie entries. */
export function scenarioGenesis({ genesis }: ScenarioCase, network: NetworkConfig): (sink: NodeSink) => Genesis {
  return (sink) => {
    const trie = new Trie();
    for (const [key, value] of Object.entries(genesis.trie)) trie.put(fromHex(key), fromHex(value));
    const stateRoot = trie.save(sink);
    if (!equalBytes(stateRoot, fromHex(genesis.stateRoot)))
      throw new Error("genesis trie does not have the state root");
    return { block: Block.decode(fromHex(genesis.rlp), network), stateRoot };
  };
}
