import type { ServedSources } from "../../serving/served-sources.js";
import type { AnswerItem, Responder } from "../wire/protocol.js";
import { answer } from "./answer.js";

export function serveTransactions(sources: ServedSources): Responder<readonly Uint8Array[], Uint8Array> {
  return function* (hashes): Iterable<AnswerItem<Uint8Array>> {
    for (const hash of hashes) yield answer(sources.pooledTransaction(hash));
  };
}
