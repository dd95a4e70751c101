import type { BlockBody } from "../../interface.js";
import { bodyOf } from "../../serving/chain-answers.js";
import type { ServedSources } from "../../serving/served-sources.js";
import type { AnswerItem, Responder } from "../wire/protocol.js";
import { answer } from "./answer.js";

export function serveBodies({ chain }: ServedSources): Responder<readonly Uint8Array[], BlockBody> {
  return function* (hashes): Iterable<AnswerItem<BlockBody>> {
    for (const hash of hashes) yield answer(bodyOf(chain, hash));
  };
}

export function serveBlocks({ chain }: ServedSources): Responder<readonly Uint8Array[], Uint8Array> {
  return function* (hashes): Iterable<AnswerItem<Uint8Array>> {
    for (const hash of hashes) yield answer(chain.encodedBlock(hash));
  };
}
