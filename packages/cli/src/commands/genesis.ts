import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { withFlags } from "../flags/command-flags.js";
import { JSON_OUTPUT, NETWORK, resolveNetwork } from "../options.js";
import { print, printJson } from "../output.js";

/** `node-cli genesis`: the genesis block of a network, computed from its definition. */
export function genesisCommand(command: Command): void {
  withFlags(command, { network: NETWORK, json: JSON_OUTPUT }, async (options) => {
    const network = await resolveNetwork(options.network);
    const { buildGenesis } = await import("@cambium/chain");
    const { block } = buildGenesis(network, { put: () => undefined });
    const result = {
      network: network.name,
      chainId: network.chainId,
      hash: toData(block.hash),
      stateRoot: toData(block.header.stateRoot),
      rlp: toData(block.encode()),
    };
    if (options.json) printJson(result);
    else for (const [name, value] of Object.entries(result)) print(`${name.padEnd(10)} ${value}`);
  });
}
