import { type MessagePort, workerData } from "node:worker_threads";
import { type BlockId, ChainError } from "@cambium/chain-store";
import { LruCache, messageOf, plainError, shownUrl, toHex } from "@cambium/primitives";
import { faultOf } from "./block-json.js";
import type { ForkAnswerer, ForkQuestion, ForkThreadData } from "./fork-messages.js";
import { isEndpoint } from "./fork-source.js";
import { RemoteAnswerer } from "./remote-answerer.js";
import { StoredAnswerer } from "./stored-answerer.js";

const { network, answered, port } = workerData as ForkThreadData & { port: MessagePort };
const { source } = network.fork!;
let opening: Promise<ForkAnswerer> | undefined;
/** Answerers for earlier states, by the hash of their block. */
const earlier = new LruCache<string, ForkAnswerer>(64);

async function open(): Promise<ForkAnswerer> {
  return isEndpoint(source) ? RemoteAnswerer.of(network) : StoredAnswerer.open(network);
}

async function answer(question: ForkQuestion): Promise<unknown> {
  opening ??= open();
  const answerer = await opening.catch((error) => {
    opening = undefined;
    throw error;
  });
  switch (question.kind) {
    case "value":
      return stateAfter(answerer, question.after).value(question.key);
    case "entries":
      return stateAfter(answerer, question.after).entries(question.prefix, question.maxKeyBytes, question.skip);
    case "block":
      return answerer.block(question.table, question.key);
    case "logs":
      return answerer.logs(question.query);
  }
}

function stateAfter(answerer: ForkAnswerer, block: BlockId | undefined): ForkAnswerer {
  if (block === undefined) return answerer;
  const name = toHex(block.hash);
  const known = earlier.get(name) ?? answerer.after(block);
  earlier.set(name, known);
  return known;
}

/** Turns any error into a failure of the source for the reader. */
function asFailure(error: unknown, what: string): unknown {
  if (error instanceof ChainError && error.code === "FORK_SOURCE") return error;
  // The message of an error may repeat the answer.
  const reason = isEndpoint(source) ? `the endpoint's answer is wrong: ${faultOf(error)}` : messageOf(error);
  return new ChainError({ code: "FORK_SOURCE", source: shownUrl(source), what, reason });
}

port.on("message", async ({ id, question }: { id: number; question: ForkQuestion }) => {
  try {
    port.postMessage({ id, answer: await answer(question) });
  } catch (error) {
    port.postMessage({ id, error: plainError(asFailure(error, question.kind)) });
  }
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
});
