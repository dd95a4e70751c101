import {
  databasePath,
  type LocalChain,
  type LostBlocks,
  openLocalChain,
  openThreadedChain,
  type ThreadedChain,
} from "@cambium/chain";
import { type BatchLogOptions, DatabaseError } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import type { Logger } from "pino";
import type { NodeOptions } from "./options.js";

/** The chain of a node, which imports blocks in a thread of its own or in the main thread. */
export type NodeChain = ThreadedChain | LocalChain;

/** An open chain, and what becomes of it. */
export interface RunningChain {
  chain: NodeChain;
  /** Resolves with the error if the chain can import no more blocks. Never rejects. */
  failed: Promise<Error>;
  /** Whether there was such an error: nothing that the chain accepted since then may be on disk. */
  hasFailed: () => boolean;
  /** Reports such an error. */
  fail: (error: Error) => void;
}

/** Opens the chain of a node, whose database is open. With `log`, copies of its batches are kept, for replicas. Rejects as `openChain` does. */
export async function openNodeChain(
  { network, dataDir, state, inProcess, rpc }: NodeOptions,
  logger: Logger,
  log?: BatchLogOptions,
): Promise<RunningChain> {
  let hasFailed = false;
  let fail: (error: Error, lost?: LostBlocks) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = (error, lost) => {
      hasFailed = true;
      logger.fatal({ err: error }, "Block import failed, the node must stop");
      if (lost !== undefined) logger.fatal(describe(lost));
      resolve(error);
    };
  });
  const options = {
    network,
    location: databasePath(dataDir),
    log,
    stateLayout: state?.layout,
    flatState: { history: state?.history },
    onListenerError: (error: unknown) => {
      // A part that has missed a block would go on with an earlier one.
      if (error instanceof DatabaseError) fail(error);
      else logger.error({ err: error }, "Chain event listener failed");
    },
    onFailure: fail,
  };
  const hasReaders = rpc.readers > 0;
  const chain = await (inProcess
    ? openLocalChain({ ...options, hasReaders })
    : openThreadedChain({ ...options, isOpen: true }));
  const { header, hash } = chain.best();
  logger.info({ number: header.number, hash: `0x${toHex(hash)}` }, "Chain opened");
  return { chain, failed, hasFailed: () => hasFailed, fail };
}

function describe({ best, stored }: LostBlocks): string {
  return (
    `Blocks since number ${stored.number}, 0x${toHex(stored.hash)}, are lost, because they could not be written to disk; ` +
    `the latest of them is number ${best.number}, 0x${toHex(best.hash)}`
  );
}
