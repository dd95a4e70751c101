import { type GossipSub, gossipsub, StrictNoSign } from "@libp2p/gossipsub";
import type { TopicScoreParams } from "@libp2p/gossipsub/score";
import type { PeerId as Libp2pPeerId } from "@libp2p/interface";
import type { PeerId } from "../interface.js";
import { GOSSIP_TOPICS, type GossipTopic } from "../wire/gossip.js";
import { messageId, topicId } from "../wire/ids.js";
import { KIB, MIB } from "../wire/limits.js";
import { answerInPortions } from "./bounded-answers.js";
import { tellMalformedFrames } from "./malformed-frames.js";

/** One of the messages of a frame. */
export interface GossipMessage {
  data?: Uint8Array;
}

/** What the library can do beyond the type it gives. */
export interface GossipService extends GossipSub {
  reportMessageValidationResult(messageId: string, from: string, result: `${"accept" | "ignore" | "reject"}`): void;
  decodeRpc(bytes: Uint8Array): object;
  handleReceivedRpc(from: Libp2pPeerId, rpc: object): Promise<void>;
  handlePeerReadStreamError(error: Error, from: Libp2pPeerId): void;
  handleIWant(peer: PeerId, wanted: unknown): GossipMessage[];
  sendRpc(peer: PeerId, rpc: { subscriptions: []; messages: GossipMessage[] }): boolean;
}

export interface GossipServiceOptions {
  label: string;
  gasLimit(): bigint;
  /** Part C's score of a peer. */
  score(peer: PeerId): number;
  /** Connections of one address that are nothing unusual. */
  perAddress: number;
  /** A peer sent a frame that is none. */
  onMalformed(peer: PeerId, detail: string): void;
}

const SECOND = 1000;
/** Our own score weighs at most so much (`spec/07 §D.9`). */
const MAX_OWN_SCORE = 100;

/** Gossipsub as `spec/07 §D.4` sets it up. */
export function gossipService(options: GossipServiceOptions): ReturnType<typeof gossipsub> {
  const topics = (Object.keys(GOSSIP_TOPICS) as GossipTopic[]).map((topic) => topicId(topic, options.label));
  const create = gossipsub({
    D: 8,
    Dlo: 6,
    Dhi: 12,
    Dlazy: 6,
    heartbeatInterval: 700,
    mcacheLength: 6,
    mcacheGossip: 3,
    seenTTL: 600 * SECOND,
    globalSignaturePolicy: StrictNoSign,
    msgIdFn: ({ topic, data }) => messageId(topic, data),
    msgIdToStrFn: (id) => Buffer.from(id).toString("latin1"),
    allowedTopics: topics,
    asyncValidation: true,
    idontwantMinDataSize: 16 * KIB,
    maxInboundDataLength: GOSSIP_TOPICS.block.maxBytes(options.gasLimit()) + MIB,
    maxOutboundBufferSize: 16 * MIB,
    maxInboundStreams: 2,
    maxOutboundStreams: 2,
    // One subscription of each of our topics, and some room.
    maxTopicBytesPerPeer: 16 * KIB,
    decodeRpcLimits: {
      maxSubscriptions: 64,
      maxMessages: 1000,
      maxIhaveMessageIDs: 5000,
      maxIwantMessageIDs: 5000,
      maxIdontwantMessageIDs: 512,
      maxControlMessages: 1000,
      maxPeerInfos: 16,
    },
    doPX: false,
    emitSelf: false,
    fallbackToFloodsub: false,
    floodPublish: false,
    tagMeshPeers: false,
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    scoreParams: {
      topics: Object.fromEntries(topics.map((topic) => [topic, TOPIC_SCORE])),
      topicScoreCap: 50,
      appSpecificScore: (peer) => Math.max(-MAX_OWN_SCORE, Math.min(MAX_OWN_SCORE, options.score(peer))),
      appSpecificWeight: 1,
      IPColocationFactorWeight: -5,
      IPColocationFactorThreshold: options.perAddress,
      behaviourPenaltyWeight: -10,
      behaviourPenaltyThreshold: 6,
      behaviourPenaltyDecay: 0.93,
      decayInterval: SECOND,
      decayToZero: 0.01,
      retainScore: 600 * SECOND,
    },
    scoreThresholds: {
      gossipThreshold: -100,
      publishThreshold: -200,
      graylistThreshold: -400,
      acceptPXThreshold: 100,
      opportunisticGraftThreshold: 5,
    },
  });
  return (components) => {
    const service = create(components) as GossipService;
    tellMalformedFrames(service, options.onMalformed);
    answerInPortions(service);
    return service;
  };
}

/** P1, P2 and P4; P3 is off, since blocks are too rare here to count those that are missing. */
const TOPIC_SCORE: TopicScoreParams = {
  topicWeight: 1,
  timeInMeshWeight: 0.01,
  timeInMeshQuantum: SECOND,
  timeInMeshCap: 3600,
  firstMessageDeliveriesWeight: 1,
  firstMessageDeliveriesDecay: 0.999,
  firstMessageDeliveriesCap: 20,
  meshMessageDeliveriesWeight: 0,
  meshMessageDeliveriesDecay: 0.5,
  meshMessageDeliveriesCap: 100,
  meshMessageDeliveriesThreshold: 1,
  meshMessageDeliveriesWindow: 10,
  meshMessageDeliveriesActivation: 5 * SECOND,
  meshFailurePenaltyWeight: 0,
  meshFailurePenaltyDecay: 0.5,
  invalidMessageDeliveriesWeight: -50,
  invalidMessageDeliveriesDecay: 0.999,
};
