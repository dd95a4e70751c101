import assert from "node:assert/strict";
import { encodeRlp } from "@cambium/primitives";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { TopicValidatorResult } from "@libp2p/gossipsub";
import type { PeerId } from "@libp2p/interface";
import { Gossip, type GossipParts } from "../src/libp2p/gossip/gossip.js";
import type { GossipTopic } from "../src/libp2p/wire/gossip.js";
import { topicId } from "../src/libp2p/wire/ids.js";
import { KIB, MIB } from "../src/shared/limits.js";

/** A service whose messages the test writes, and handlers that never answer. */
class Messages {
  private readonly service = Object.assign(new EventTarget(), {
    topicValidators: new Map<string, (peer: PeerId, message: object) => TopicValidatorResult>(),
    subscribe() {},
    reportMessageValidationResult() {},
  });

  constructor() {
    const parts = {
      service: this.service,
      label: "test",
      limiter: { take: () => true },
      gasLimit: () => 6_800_000n,
      isReady: () => true,
      report: () => assert.fail("reported"),
      logger: SILENT,
    };
    const gossip = new Gossip(parts as unknown as GossipParts);
    const never = () => new Promise<never>(() => {});
    gossip.setHandlers({ block: never, blockHash: never, transactions: never });
    gossip.start();
  }

  /** Whether the message is accepted for validation. */
  send(topic: GossipTopic, from: string, data: Uint8Array): boolean {
    const id = topicId(topic, "test");
    const msg = { topic: id, data };
    const propagationSource = { toString: () => from } as PeerId;
    const isAccepted = this.service.topicValidators.get(id)!(propagationSource, msg) === TopicValidatorResult.Accept;
    const detail = { msg, msgId: "", propagationSource };
    if (isAccepted) this.service.dispatchEvent(Object.assign(new Event("gossipsub:message"), { detail }));
    return isAccepted;
  }

  /** Bytes accepted of these many equal messages. */
  accepted(topic: GossipTopic, from: string, data: Uint8Array, count: number): number {
    let bytes = 0;
    for (let i = 0; i < count; i++) if (this.send(topic, from, data)) bytes += data.length;
    return bytes;
  }
}

describe("gossip that waits for validation", () => {
  it("is bounded in bytes of blocks for each peer", () => {
    const block = encodeRlp([[new Uint8Array(4 * MIB - 100)], [], []]);
    assert.equal(new Messages().accepted("block", "peer", block, 16), 4 * block.length);
  });

  it("is bounded in bytes of transactions for all peers", () => {
    const transaction = encodeRlp([new Uint8Array(120 * KIB)]);
    const messages = new Messages();
    const peers = ["a", "b", "c", "d", "e"];
    const bytes = peers.map((peer) => messages.accepted("tx", peer, transaction, 100));
    assert(bytes[0]! <= 4 * MIB);
    assert(bytes.reduce((sum, own) => sum + own, 0) <= 17 * MIB);
  });
});
