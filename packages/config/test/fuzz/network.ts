import { type FuzzTarget, jsonTexts, textOf } from "@cambium/test-utils/fuzz-target";
import { ConfigError } from "../../src/errors.js";
import { loadNetwork, local, main } from "../../src/index.js";
import { networkToJson } from "../../src/network-schema.js";

export const targets: Readonly<Record<string, FuzzTarget>> = {
  network: {
    seeds: () =>
      jsonTexts({ extends: "local", chainId: 5, genesis: { accounts: [] } }, networkToJson(local), networkToJson(main)),
    maxLength: 40_000,
    words: ["extends", "main", "genesis", "accounts", "balance", "__proto__", "constructor"],
    async run(input) {
      let json: unknown;
      try {
        json = JSON.parse(textOf(input));
      } catch {
        return;
      }
      try {
        await loadNetwork(json);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    },
  },
};
