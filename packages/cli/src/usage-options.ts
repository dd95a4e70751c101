import type { NetworkConfig } from "@cambium/config";
import type { UsageOptions } from "@cambium/node/options";
import { CliError } from "./errors.js";
import { streamAddress } from "./replication-options.js";
import type { RpcFlags } from "./rpc-options.js";

const SECOND = 1_000;

/** Undefined if usage is not published. Throws {@link CliError} `INVALID_OPTION` or `OPTION_REQUIRES`. */
export function usageOptions(options: RpcFlags, network: NetworkConfig): UsageOptions | undefined {
  const { "rpc.usage": servers, "rpc.usage.stream": stream, "rpc.usage.interval": interval } = options;
  if (servers === undefined) return undefined;
  if (options["rpc.keys"] === undefined && !options["rpc.managed-keys"]) {
    throw new CliError({
      code: "OPTION_REQUIRES",
      option: "--rpc.usage",
      requires: "--rpc.keys or --rpc.managed-keys",
    });
  }
  return { ...streamAddress("--rpc.usage", servers, stream, network), interval: interval * SECOND };
}
