import type { NetworkConfig } from "@cambium/config";
import type { UsageOptions } from "@cambium/node/options";
import { CliError } from "./errors.js";
import { parseNumber } from "./options.js";
import { streamAddress } from "./replication-options.js";
import type { RpcFlags } from "./start-options.js";

const SECOND = 1_000;
const MAX_INTERVAL = 86_400;

/** Undefined if usage is not published. Throws {@link CliError} `INVALID_OPTION` or `OPTION_REQUIRES`. */
export function usageOptions(options: RpcFlags, network: NetworkConfig): UsageOptions | undefined {
  const { "rpc.usage": servers, "rpc.usage.stream": stream, "rpc.usage.interval": interval } = options;
  if (servers === undefined) return undefined;
  if (options["rpc.keys"] === undefined && !options["rpc.managedKeys"]) {
    throw new CliError({
      code: "OPTION_REQUIRES",
      option: "--rpc.usage",
      requires: "--rpc.keys or --rpc.managed-keys",
    });
  }
  const seconds = parseNumber("--rpc.usage.interval", interval, MAX_INTERVAL);
  if (seconds === 0) {
    const expected = `a whole number from 1 to ${MAX_INTERVAL}`;
    throw new CliError({ code: "INVALID_OPTION", option: "--rpc.usage.interval", value: interval, expected });
  }
  return { ...streamAddress("--rpc.usage", servers, stream, network), interval: seconds * SECOND };
}
