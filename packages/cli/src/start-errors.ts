import { AccountsError } from "@cambium/accounts";
import { MinerError } from "@cambium/miner";
import { NodeError } from "@cambium/node";
import { RpcError } from "@cambium/rpc";
import { CliError } from "./errors.js";

/** An error of `Node.start` as a {@link CliError} `START` that names the flag to change; other errors are returned as they are. */
export function startError(error: unknown): unknown {
  const reason = reasonOf(error);
  return reason === undefined ? error : new CliError({ code: "START", reason }, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof RpcError && error.details.code === "LISTEN_FAILED") {
    const { host, port, reason } = error.details;
    return `cannot listen on ${host}:${port} for JSON-RPC: ${reason}; choose other ports with --http.port and --ws.port`;
  }
  if (error instanceof NodeError && error.details.code === "METRICS_LISTEN") {
    const { host, port, reason } = error.details;
    return `cannot listen on ${host}:${port} for metrics: ${reason}; choose another port with --metrics.port`;
  }
  if (error instanceof AccountsError && error.details.code === "KEY_FOLDER") {
    const { folder, reason } = error.details;
    return `cannot read the key folder ${folder}: ${reason}; --no-wallet starts the node without keys`;
  }
  if (error instanceof MinerError && error.details.code === "OPTION") {
    return `invalid ${error.details.option}: ${error.details.reason}`;
  }
  return undefined;
}
