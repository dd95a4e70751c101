import type { LogLocation } from "@cambium/chain";
import { BRIDGE_ADDRESS, type NetworkConfig } from "@cambium/config";
import type { JournaledState } from "@cambium/state";
import { withReader } from "../database.js";
import { invalid } from "../errors.js";
import { integer, text, type Values } from "../flags/flag.js";
import { DATA_FLAGS, resolveData } from "../options.js";

/** Blocks of one request for logs: nodes of this kind do not limit the number of logs in such a range. */
const LOG_BLOCKS = 2_000;

/** Flags for the source of the bridge's data: the node at `rpc`, or the database of a stopped node. */
export const SOURCE_FLAGS = {
  ...DATA_FLAGS,
  rpc: text("url", "read from this node instead of a data directory", { conflicts: "data-dir" }),
  block: integer("number", "block after which the bridge is read (default: the best one)"),
};

type SourceOptions = Partial<Values<typeof SOURCE_FLAGS>> & { network: string };

/** The bridge after a block. */
export interface BridgeSource {
  network: NetworkConfig;
  block: { number: number; hash: Uint8Array };
  /** A fresh copy of the state, which the caller may change. */
  state(): JournaledState;
  /** The bridge's logs of some kinds up to the block. */
  logs(fromBlock: number, topics: readonly Uint8Array[]): Iterable<LogLocation>;
}

/** Opens the bridge for `use`. Rejects with `CliError`, `ChainError`, `DatabaseError` or as `use` does. */
export async function withBridge<T>(options: SourceOptions, use: (source: BridgeSource) => Promise<T>): Promise<T> {
  const { network, dataDir } = await resolveData({ "data-dir": undefined, ...options });
  return options.rpc === undefined
    ? withStored(network, dataDir, options.block, use)
    : withRemote(network, options.rpc, options.block, use);
}

async function withStored<T>(
  network: NetworkConfig,
  dataDir: string,
  number: number | undefined,
  use: (source: BridgeSource) => Promise<T>,
): Promise<T> {
  const { JournaledState } = await import("@cambium/state");
  return withReader(network, dataDir, async (reader) => {
    const best = reader.best().header.number;
    const hash = reader.hashByNumber(number ?? best);
    const view = hash && reader.stateAfter(hash);
    if (hash === undefined || view === undefined) {
      const expected = hash === undefined ? `at most ${best}, the best block` : "a block whose state is stored";
      throw invalid("--block", String(number), expected);
    }
    const toBlock = number ?? best;
    return use({
      network,
      block: { number: toBlock, hash },
      state: () => new JournaledState(reader.stateAfter(hash)!),
      logs: (fromBlock, topics) => reader.logs({ fromBlock, toBlock, addresses: [BRIDGE_ADDRESS], topics: [topics] }),
    });
  });
}

/** Reads the node as the source of a fork that never gets a block. */
async function withRemote<T>(
  plain: NetworkConfig,
  source: string,
  wanted: number | undefined,
  use: (source: BridgeSource) => Promise<T>,
): Promise<T> {
  const { closeForkSource, forkSource, isEndpoint, remoteOrigin } = await import("@cambium/fork");
  const { ForkedState, JournaledState, KeyedStateView, openState } = await import("@cambium/state");
  if (!isEndpoint(source)) throw invalid("--rpc", source, "http://host:port");
  const { network: _, ...origin } = await remoteOrigin({ source, number: wanted, network: plain });
  const network = { ...plain, fork: { source, chainId: plain.chainId, ...origin, accounts: [] } };
  const values = forkSource(network)!;
  const { number, hash } = origin;
  try {
    return await use({
      network,
      block: { number, hash },
      state: () => new JournaledState(new KeyedStateView(new ForkedState(openState().state, values))),
      *logs(fromBlock, topics) {
        for (let at = fromBlock; at <= number; at += LOG_BLOCKS) {
          const toBlock = Math.min(at + LOG_BLOCKS - 1, number);
          yield* values.logs({ fromBlock: at, toBlock, addresses: [BRIDGE_ADDRESS], topics: [topics] });
        }
      },
    });
  } finally {
    closeForkSource(network);
  }
}
