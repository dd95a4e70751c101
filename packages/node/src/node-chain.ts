import { LocalChain, ThreadedChain } from "@cambium/chain";
import { type BatchLogOptions, DatabaseError, databasePath } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import type { Logger } from "pino";
import type { NodeOptions } from "./options.js";

/** The chain of a node, which imports blocks in a separate thread or in the main thread. */
export type NodeChain = ThreadedChain | LocalChain;

/** An open chain, and its failure if it fails. */
export interface RunningChain {
  chain: NodeChain;
  /** Resolves with the error if the chain can import no more blocks. Never rejects. */
  failed: Promise<Error>;
  /** Whether the chain failed: blocks accepted since the failure may not be on disk. */
  hasFailed: () => boolean;
  /** Reports a failure of the chain. */
  fail: (error: Error) => void;
}

export type NodeChainOptions = Pick<NodeOptions, "network" | "dataDir" | "state" | "inProcess" | "isTemporary" | "rpc">;

/**
 * Opens the chain of a node, whose database is open. `log` keeps copies of its batches for replicas. Rejects as
 * `openChain` does.
 */
export async function openNodeChain(
  { network, dataDir, state, inProcess, isTemporary = false, rpc }: NodeChainOptions,
  logger: Logger,
  log?: BatchLogOptions,
): Promise<RunningChain> {
  let hasFailed = false;
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = (error) => {
      hasFailed = true;
      logger.fatal({ err: error }, "Block import failed, the node must stop");
      resolve(error);
    };
  });
  const options = {
    network,
    location: databasePath(dataDir),
    log,
    stateLayout: state?.layout,
    flatState: { history: state?.history },
    blockHistory: { blocks: state?.blocks },
    onListenerError: (error: unknown) => {
      // A component that has missed a block would continue with an earlier one.
      if (error instanceof DatabaseError) fail(error);
      else logger.error({ err: error }, "Chain event listener failed");
    },
    onFailure: fail,
  };
  const chain = await (inProcess
    ? LocalChain.open({ ...options, writesLate: isTemporary && rpc.readers === 0 })
    : ThreadedChain.open({ ...options, isOpen: true }));
  const { header, hash } = chain.best();
  logger.info({ number: header.number, hash: `0x${toHex(hash)}` }, "Chain opened");
  return { chain, failed, hasFailed: () => hasFailed, fail };
}
