import { DEFAULT_RPC_CONFIG } from "@cambium/rpc";
import { decoding, type FuzzTarget, fileOf, jsonTexts } from "@cambium/test-utils/fuzz-target";
import { CliError } from "../../src/errors.js";
import { readRpcConfig } from "../../src/rpc-config-file.js";

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "rpc-config": decoding({
    seeds: () =>
      jsonTexts(
        { timeout: 1, modules: { eth: { enabled: false, disabledMethods: ["eth_call"] } }, logs: { maxLogs: 5 } },
        {},
      ),
    words: [...Object.keys(DEFAULT_RPC_CONFIG), "eth", "methodTimeouts", "call", "__proto__", "constructor"],
    decode: (input) => readRpcConfig(fileOf(input, "rpc.json")),
    refusals: [CliError],
  }),
};
