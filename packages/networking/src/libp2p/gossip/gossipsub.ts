import { gossipsub, StrictNoSign } from "@libp2p/gossipsub";
import type { TopicScoreParams } from "@libp2p/gossipsub/score";
import type { PeerId } from "../../interface.js";
import { KIB, MIB } from "../../shared/limits.js";
import { splitAnswers } from "../patches/gossip-answers.js";
import { reportMalformedFrames } from "../patches/gossip-frames.js";
import { type ValidatingGossipSub, withVerdicts } from "../patches/gossip-verdicts.js";
import { GOSSIP_TOPICS, type GossipTopic } from "../wire/gossip.js";
import { messageId, topicId } from "../wire/ids.js";

export interface GossipSubOptions {
  label: string;
  gasLimit(): bigint;
  /** Returns a peer's score (`spec/07 §C`). */
  score(peer: PeerId): number;
  /** Number of connections from one address above which gossipsub lowers the score of its peers. */
  perAddress: number;
  /** Called for a frame that is too long or cannot be decoded. */
  onMalformed(peer: PeerId, detail: string): void;
}

const SECOND = 1000;
/** Bounds the weight of our own score (`spec/07 §D.9`). */
const MAX_OWN_SCORE = 100;

type Components = Parameters<ReturnType<typeof gossipsub>>[0];

/** Gossipsub with the parameters of `spec/07 §D.4`. The factory throws `NetworkingError` `LIBRARY_CHANGED`. */
export function createGossipSub(options: GossipSubOptions): (components: Components) => ValidatingGossipSub {
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
    // The topics of this network need far less.
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
    const service = withVerdicts(create(components));
    reportMalformedFrames(service, options.onMalformed);
    splitAnswers(service);
    return service;
  };
}

/** P1, P2 and P4. P3 is off: blocks are too rare to count missing ones. */
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
