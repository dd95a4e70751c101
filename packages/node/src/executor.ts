import type { HeavyExecutor } from "@cambium/api";
import { createChainEvm, LocalChain, type StoredChainReader } from "@cambium/chain";
import type { Evm } from "@cambium/evm";
import { CallingThreadFirst, LOCAL_CALLS, SHARED_CALLS, ThreadedExecutor } from "@cambium/rpc";
import type { NodeOptions } from "./options.js";

/** A chain whose states can be read with another EVM. */
interface ReadableChain {
  readerWith(evm: Evm): StoredChainReader;
}

/** Creates an executor: this thread for short calls, and other threads for heavy requests. */
export function createExecutor(
  { network, rpc: config }: Pick<NodeOptions, "network" | "rpc">,
  chain: ReadableChain,
  location: string,
): CallingThreadFirst {
  const threads = new ThreadedExecutor({ network, location, config });
  const [others, limits] =
    chain instanceof LocalChain ? [afterWrites(chain, threads), LOCAL_CALLS] : [threads, SHARED_CALLS];
  return new CallingThreadFirst(others, config, limits, (isInterrupted) =>
    chain.readerWith(createChainEvm(network, { isInterrupted })),
  );
}

/** Starts tasks only when the threads can read the blocks concerned. */
function afterWrites(chain: LocalChain, threads: HeavyExecutor): HeavyExecutor {
  return {
    run: async (name, request, deadline) => {
      await chain.written();
      return threads.run(name, request, deadline);
    },
    close: () => threads.close(),
  };
}
