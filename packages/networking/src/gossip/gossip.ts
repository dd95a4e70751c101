import { type GossipsubMessage, type Message, TopicValidatorResult } from "@libp2p/gossipsub";
import type { PeerId as Libp2pPeerId } from "@libp2p/interface";
import { NetworkingError } from "../errors.js";
import { reasonOf } from "../host/addresses.js";
import type { BlockAnnouncement, GossipHandlers, PeerId, Verdict } from "../interface.js";
import type { NetworkLogger } from "../logger.js";
import type { ScoringEvent } from "../scoring/events.js";
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
import type { RateLimiter } from "../wire/rate-limiter.js";
import type { GossipService } from "./gossip-service.js";
import { type QueueOptions, ValidationQueue } from "./validation-queue.js";

export interface GossipParts {
  service: GossipService;
  label: string;
  limiter: RateLimiter<GossipTopic>;
  gasLimit(): bigint;
  isReady(peer: PeerId): boolean;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  logger: NetworkLogger;
}

/** `spec/07 §D.5`. */
const QUEUES: Readonly<Record<GossipTopic, QueueOptions>> = {
  block: { capacity: 64, drop: "oldest", parallel: 4 },
  "block-hash": { capacity: 64, drop: "oldest", parallel: 8 },
  tx: { capacity: 4096, drop: "newest", parallel: 16 },
};

/** A message whose outer form was checked: how much it counts, and how it is judged. */
interface Opened {
  weight: number;
  judge(handlers: GossipHandlers, from: PeerId): Promise<Verdict>;
}

const OPENERS: Readonly<Record<GossipTopic, (payload: Uint8Array) => Opened>> = {
  block: (payload) => {
    const block = decodeGossipBlock(payload);
    return { weight: 1, judge: (handlers, from) => handlers.block(block, from) };
  },
  "block-hash": (payload) => {
    const announcement = decodeAnnouncement(payload);
    return { weight: 1, judge: (handlers, from) => handlers.blockHash(announcement, from) };
  },
  tx: (payload) => {
    const transactions = decodeGossipTransactions(payload);
    return { weight: transactions.length, judge: (handlers, from) => handlers.transactions(transactions, from) };
  },
};

/** Messages to all: bounded and checked in their outer form here, judged by the handlers, then relayed. */
export class Gossip {
  private readonly topics: ReadonlyMap<string, GossipTopic>;
  private readonly queues: Readonly<Record<GossipTopic, ValidationQueue>>;
  /** Messages between the first look and the queue; the library tells of both within one task. */
  private readonly opened = new WeakMap<Message, Opened>();
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
      service.topicValidators.set(id, (peer, message) => this.firstLook(topic, peer, message));
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

  /** Nobody there to hear it is no failure, and neither is a message that was heard from others before. */
  private async publish(topic: GossipTopic, payload: Uint8Array): Promise<void> {
    if (payload.length > GOSSIP_TOPICS[topic].maxBytes(this.parts.gasLimit())) {
      this.parts.logger.warn({ topic, bytes: payload.length }, "Too long for gossip");
      return;
    }
    try {
      await this.parts.service.publish(topicId(topic, this.parts.label), payload);
    } catch (error) {
      this.parts.logger.warn({ topic, reason: reasonOf(error) }, "Not published");
    }
  }

  /** Before the library keeps anything of the message: size, form, rate and room. */
  private firstLook(topic: GossipTopic, peer: Libp2pPeerId, message: Message): TopicValidatorResult {
    const from = peer.toString();
    if (this.handlers === undefined || !this.parts.isReady(from)) return TopicValidatorResult.Ignore;
    if (message.data.length > GOSSIP_TOPICS[topic].maxBytes(this.parts.gasLimit())) {
      return this.malformed(topic, from, "too long");
    }
    try {
      const opened = OPENERS[topic](message.data);
      return this.admit(topic, from, message, opened);
    } catch (error) {
      if (error instanceof NetworkingError) return this.malformed(topic, from, error.message);
      this.parts.logger.error({ err: error, topic }, "Gossip could not be read");
      return TopicValidatorResult.Ignore;
    }
  }

  private admit(topic: GossipTopic, from: PeerId, message: Message, opened: Opened): TopicValidatorResult {
    if (!this.parts.limiter.take(from, topic, opened.weight)) {
      this.parts.report(from, "REPEATED_MESSAGE", `gossip of ${topic}: too much`);
      return TopicValidatorResult.Ignore;
    }
    if (!this.queues[topic].hasRoom(from, opened.weight)) return TopicValidatorResult.Ignore;
    this.opened.set(message, opened);
    return TopicValidatorResult.Accept;
  }

  private malformed(topic: GossipTopic, from: PeerId, reason: string): TopicValidatorResult {
    this.parts.report(from, "INVALID_MESSAGE", `gossip of ${topic}: ${reason}`);
    return TopicValidatorResult.Reject;
  }

  private readonly onMessage = ({ detail }: CustomEvent<GossipsubMessage>): void => {
    const { msg, msgId, propagationSource } = detail;
    const from = propagationSource.toString();
    const topic = this.topics.get(msg.topic);
    const opened = this.opened.get(msg);
    const done = (verdict: Verdict) => this.parts.service.reportMessageValidationResult(msgId, from, verdict);
    if (topic === undefined || opened === undefined) {
      done("ignore");
      return;
    }
    this.queues[topic].add({ from, weight: opened.weight, judge: () => this.judge(topic, opened, from), done });
  };

  private async judge(topic: GossipTopic, opened: Opened, from: PeerId): Promise<Verdict> {
    if (this.handlers === undefined) return "ignore";
    try {
      return await opened.judge(this.handlers, from);
    } catch (error) {
      this.parts.logger.error({ err: error, topic }, "Gossip could not be judged");
      return "ignore";
    }
  }
}
