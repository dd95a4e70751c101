import { type Logger, messageOf, plainBytes } from "@cambium/primitives";
import { type GossipsubMessage, type Message, TopicValidatorResult } from "@libp2p/gossipsub";
import type { PeerId as Libp2pPeerId } from "@libp2p/interface";
import { NetworkingError } from "../../errors.js";
import type { BlockAnnouncement, GossipHandlers, PeerId, Verdict } from "../../interface.js";
import type { PeerRateLimiter } from "../../peers/peer-rate-limiter.js";
import { type QueueOptions, ValidationQueue } from "../../peers/validation-queue.js";
import type { ScoringEvent } from "../../scoring/events.js";
import { KIB, MIB } from "../../shared/limits.js";
import type { ValidatingGossipSub } from "../patches/gossip-verdicts.js";
import {
  decodeAnnouncement,
  decodeGossipBlock,
  decodeGossipTransactions,
  encodeAnnouncement,
  GOSSIP_TOPICS,
  type GossipTopic,
  packTransactions,
} from "../wire/gossip.js";
import { topicId } from "../wire/ids.js";

export interface GossipParts {
  service: ValidatingGossipSub;
  label: string;
  limiter: PeerRateLimiter<GossipTopic>;
  gasLimit(): bigint;
  isReady(peer: PeerId): boolean;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  logger: Logger;
}

/**
 * Bytes per unit of weight in a queue. The capacity thus bounds bytes too: 64 MiB of blocks, 16 MiB of transactions.
 */
const BLOCK_UNIT = MIB;
const TRANSACTION_UNIT = 4 * KIB;
/** Queues by topic (`spec/07 §D.5`). */
const QUEUES: Readonly<Record<GossipTopic, QueueOptions>> = {
  block: { content: "block", capacity: 64, drop: "oldest", parallel: 4 },
  "block-hash": { content: "announcement", capacity: 64, drop: "oldest", parallel: 8 },
  tx: { content: "transactions", capacity: 4096, drop: "newest", parallel: 16 },
};

/** A message whose encoding was checked: its shares of the rate and of the queue, and its validation. */
interface Decoded {
  count: number;
  weight: number;
  validate(handlers: GossipHandlers, from: PeerId): Promise<Verdict>;
}

const DECODERS: Readonly<Record<GossipTopic, (payload: Uint8Array) => Decoded>> = {
  block: (payload) => {
    const block = decodeGossipBlock(payload);
    const weight = Math.ceil(block.length / BLOCK_UNIT);
    return { count: 1, weight, validate: async (handlers, from) => (await handlers.block(block, from)).verdict };
  },
  "block-hash": (payload) => {
    const announcement = decodeAnnouncement(payload);
    return { count: 1, weight: 1, validate: (handlers, from) => handlers.blockHash(announcement, from) };
  },
  tx: (payload) => {
    const transactions = decodeGossipTransactions(payload);
    const weight = transactions.reduce((sum, { length }) => sum + Math.ceil(length / TRANSACTION_UNIT), 0);
    const count = transactions.length;
    return { count, weight, validate: (handlers, from) => handlers.transactions(transactions, from) };
  },
};

/**
 * Gossip messages. This class checks limits and encoding, and the handlers check the content; accepted messages are
 * relayed.
 */
export class Gossip {
  private readonly topics: ReadonlyMap<string, GossipTopic>;
  private readonly queues: Readonly<Record<GossipTopic, ValidationQueue>>;
  /** Messages between the topic validator and the queue; the library calls both within one task. */
  private readonly decoded = new WeakMap<Message, Decoded>();
  private handlers: GossipHandlers | undefined;

  constructor(private readonly parts: GossipParts) {
    const names = Object.keys(GOSSIP_TOPICS) as GossipTopic[];
    this.topics = new Map(names.map((name) => [topicId(name, parts.label), name]));
    this.queues = {
      block: new ValidationQueue(QUEUES.block),
      "block-hash": new ValidationQueue(QUEUES["block-hash"]),
      tx: new ValidationQueue(QUEUES.tx),
    };
  }

  start(): void {
    const { service } = this.parts;
    for (const [id, topic] of this.topics) {
      service.topicValidators.set(id, (peer, message) => this.checkMessage(topic, peer, message));
      service.subscribe(id);
    }
    service.addEventListener("gossipsub:message", this.onMessage);
  }

  stop(): void {
    this.parts.service.removeEventListener("gossipsub:message", this.onMessage);
    this.handlers = undefined;
    for (const queue of Object.values(this.queues)) queue.clear();
  }

  setHandlers(handlers: GossipHandlers): void {
    this.handlers = handlers;
  }

  publishBlock(encoded: Uint8Array): Promise<void> {
    return this.publish("block", encoded);
  }

  publishBlockHash(announcement: BlockAnnouncement): Promise<void> {
    return this.publish("block-hash", encodeAnnouncement(announcement));
  }

  async publishTransactions(encoded: readonly Uint8Array[]): Promise<void> {
    for (const message of packTransactions(encoded)) await this.publish("tx", message);
  }

  /** Publishes a message. It is no failure if the topic has no peers, or if a peer sent the message before. */
  private async publish(topic: GossipTopic, payload: Uint8Array): Promise<void> {
    if (payload.length > GOSSIP_TOPICS[topic].maxBytes(this.parts.gasLimit())) {
      this.parts.logger.warn({ topic, bytes: payload.length }, "Message is too long to publish");
      return;
    }
    try {
      await this.parts.service.publish(topicId(topic, this.parts.label), payload);
    } catch (error) {
      this.parts.logger.warn({ topic, reason: messageOf(error) }, "Failed to publish a message");
    }
  }

  /** Checks size, encoding, rate and room in the queue before the library stores any of the message. */
  private checkMessage(topic: GossipTopic, peer: Libp2pPeerId, message: Message): TopicValidatorResult {
    const from = peer.toString();
    if (this.handlers === undefined || !this.parts.isReady(from)) return TopicValidatorResult.Ignore;
    if (message.data.length > GOSSIP_TOPICS[topic].maxBytes(this.parts.gasLimit())) {
      return this.malformed(topic, from, "too long");
    }
    try {
      return this.admit(topic, from, message, DECODERS[topic](plainBytes(message.data)));
    } catch (error) {
      if (error instanceof NetworkingError) return this.malformed(topic, from, error.message);
      this.parts.logger.error({ err: error, topic }, "Failed to decode a gossip message");
      return TopicValidatorResult.Ignore;
    }
  }

  private admit(topic: GossipTopic, from: PeerId, message: Message, decoded: Decoded): TopicValidatorResult {
    if (!this.parts.limiter.take(from, topic, decoded.count)) {
      this.parts.report(from, "REPEATED_MESSAGE", `gossip of ${topic}: rate limit exceeded`);
      return TopicValidatorResult.Ignore;
    }
    if (!this.queues[topic].hasRoom(from, decoded.weight)) return TopicValidatorResult.Ignore;
    this.decoded.set(message, decoded);
    return TopicValidatorResult.Accept;
  }

  private malformed(topic: GossipTopic, from: PeerId, reason: string): TopicValidatorResult {
    this.parts.report(from, "UNREADABLE_MESSAGE", `gossip of ${topic}: ${reason}`);
    return TopicValidatorResult.Reject;
  }

  private readonly onMessage = ({ detail }: CustomEvent<GossipsubMessage>): void => {
    const { msg, msgId, propagationSource } = detail;
    const from = propagationSource.toString();
    const topic = this.topics.get(msg.topic);
    const decoded = this.decoded.get(msg);
    const done = (verdict: Verdict) => this.parts.service.reportMessageValidationResult(msgId, from, verdict);
    if (topic === undefined || decoded === undefined) {
      done("ignore");
      return;
    }
    this.queues[topic].add({ from, weight: decoded.weight, validate: () => this.validate(topic, decoded, from), done });
  };

  private async validate(topic: GossipTopic, decoded: Decoded, from: PeerId): Promise<Verdict> {
    if (this.handlers === undefined) return "ignore";
    try {
      return await decoded.validate(this.handlers, from);
    } catch (error) {
      this.parts.logger.error({ err: error, topic }, "Failed to validate a gossip message");
      return "ignore";
    }
  }
}
