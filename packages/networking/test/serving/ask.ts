import assert from "node:assert/strict";
import { createResponders, type ServedName } from "../../src/libp2p/serving/responders.js";
import type { AnswerItem, Protocol, Responder } from "../../src/libp2p/wire/protocol.js";
import { type ItemOf, protocolsOf, type RequestOf } from "../../src/libp2p/wire/protocols.js";
import type { ServedSources } from "../../src/serving/served-sources.js";

/**
 * Returns the answer that a requester reads: everything passes through bytes, both ways. Undefined is "not available".
 */
export async function ask<Name extends ServedName>(
  sources: ServedSources,
  name: Name,
  request: RequestOf<Name>,
): Promise<(ItemOf<Name> | undefined)[]> {
  const protocol = protocolsOf(sources.chain.network)[name] as unknown as Protocol<RequestOf<Name>, ItemOf<Name>>;
  const responder = createResponders(sources)[name] as unknown as Responder<RequestOf<Name>, ItemOf<Name>>;
  const gasLimit = sources.chain.best().header.gasLimitValue;
  const asked = protocol.decodeRequest(protocol.encodeRequest(request));
  const items: (ItemOf<Name> | undefined)[] = [];
  let total = 0;
  for await (const one of responder(asked, "peer") as AsyncIterable<AnswerItem<ItemOf<Name>>>) {
    const bytes = one.kind === "data" ? protocol.encodeItem(one.item) : undefined;
    assert((bytes?.length ?? 0) <= protocol.bounds.frameBytes(gasLimit));
    total += bytes?.length ?? 0;
    items.push(bytes && protocol.decodeItem(bytes, asked, items.length));
  }
  assert(items.length <= protocol.bounds.frames(protocol.items(asked)));
  assert(total <= protocol.bounds.totalBytes(gasLimit));
  return items;
}
