import type { ChainReader } from "@cambium/chain";
import { connectTo, PieceRequests, type SealedStream, servePieces } from "@cambium/replication";
import { type HeavyExecutor, PieceService, type RpcConfig, SplitExecutor } from "@cambium/rpc";
import type { Logger } from "pino";
import type { Parts } from "./parts.js";

export interface SplitReadsOptions {
  /** The stream of the replicas that take part. */
  address: SealedStream;
  chain: ChainReader;
  /** Executes what is not cut, and pieces. */
  heavy: HeavyExecutor;
  config: RpcConfig;
  /** Blocks from which on this node has its searches for logs cut; undefined: never. */
  threshold: number | undefined;
  /** Whether this node searches pieces of others. */
  serves: boolean;
}

/**
 * Connects to the replicas of a stream in the background, over a connection of its own, so that the results of pieces do not delay batches.
 * Returns an executor that cuts wide searches, if this node has them cut.
 */
export function splitReads(options: SplitReadsOptions, parts: Parts, logger: Logger): HeavyExecutor {
  const { address, chain, heavy, config, threshold, serves } = options;
  const stopped = new AbortController();
  let connection: Awaited<ReturnType<typeof connectTo>>;
  let ownId: string | undefined;
  const open = async (): Promise<void> => {
    connection = await connectTo(address, logger, stopped.signal);
    if (connection === undefined || !serves) return;
    const service = new PieceService(chain, heavy);
    const state = () => {
      const from = Math.max(chain.earliestBlock(), chain.snapshotBlock());
      return { head: chain.best().header.number, from, load: service.load };
    };
    ownId = servePieces(connection, address, { state, search: (...rest) => service.search(...rest) }, logger);
  };
  const opening = threshold !== undefined || serves ? open() : Promise.resolve();
  parts.add(async () => {
    stopped.abort();
    await opening;
    await connection?.close();
  });
  if (threshold === undefined) return heavy;
  const servers = new PieceRequests(
    () => connection,
    address,
    () => ownId,
  );
  return new SplitExecutor(heavy, chain, config, servers, threshold);
}
