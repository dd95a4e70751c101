import assert from "node:assert/strict";
import { keccak256, utf8 } from "@cambium/primitives";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import { RPC } from "@libp2p/gossipsub/message";
import type { Logger, PeerId, Topology } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { createGossipSub } from "../../src/libp2p/gossip/gossipsub.js";
import { GOSSIP_TOPICS, type GossipTopic } from "../../src/libp2p/wire/gossip.js";
import { messageId, topicId } from "../../src/libp2p/wire/ids.js";

const LABEL = "local-00000000";
const TOPICS = (Object.keys(GOSSIP_TOPICS) as GossipTopic[]).map((topic) => topicId(topic, LABEL));
/** Number of inputs after which the library is created again, since it remembers messages for minutes. */
const RENEWAL = 1_000;

async function peerOf(name: string): Promise<PeerId> {
  return peerIdFromPrivateKey(await generateKeyPairFromSeed("Ed25519", keccak256(utf8(name))));
}

const PEER = await peerOf("peer");

/** The library's members that take the bytes of a frame. */
interface Receiver {
  decodeRpc(bytes: Uint8Array): object;
  handleReceivedRpc(from: PeerId, rpc: object): Promise<void>;
  stop(): Promise<void>;
}

const log: Logger = Object.assign(() => undefined, {
  enabled: false,
  error: () => undefined,
  trace: () => undefined,
  newScope: () => log,
});

/** The library with all topics and one peer, to which nothing can be sent. */
async function open(onMalformed: () => void): Promise<Receiver> {
  const topologies: Topology[] = [];
  const components = {
    logger: { forComponent: () => log },
    peerId: await peerOf("own"),
    registrar: {
      handle: async () => undefined,
      unhandle: async () => undefined,
      register: async (_protocol: string, topology: Topology) => `${topologies.push(topology)}`,
      unregister: () => undefined,
    },
  };
  const options = { label: LABEL, gasLimit: () => 6_800_000n, score: () => 0, perAddress: 4, onMalformed };
  const service = createGossipSub(options)(components as never);
  await (service as unknown as { start(): Promise<void> }).start();
  for (const topic of TOPICS) service.subscribe(topic);
  const newStream = () => Promise.reject(new Error("no stream"));
  const connection = { status: "open", direction: "inbound", remoteAddr: multiaddr("/ip4/192.0.2.1/tcp/1"), newStream };
  topologies[0]!.onConnect?.(PEER, connection as never);
  return service as unknown as Receiver;
}

let opened: Promise<Receiver> | undefined;
let [inputs, malformed] = [0, 0];

async function receiver(): Promise<Receiver> {
  if (++inputs % RENEWAL === 0) {
    await (await opened)?.stop();
    opened = undefined;
  }
  return (opened ??= open(() => malformed++));
}

function frames(): Uint8Array[] {
  const [topic, other] = TOPICS as [string, string];
  const data = utf8("message");
  const messageID = messageId(topic, data);
  const control = {
    ihave: [{ topicID: topic, messageIDs: [messageID] }],
    iwant: [{ messageIDs: [messageID] }],
    graft: [{ topicID: topic }, { topicID: other }],
    prune: [{ topicID: topic, peers: [{ peerID: messageID, signedPeerRecord: data }], backoff: 60 }],
    idontwant: [{ messageIDs: [messageID] }],
  };
  return [
    { subscriptions: [{ subscribe: true, topic }], messages: [{ topic, data }] },
    { subscriptions: [{ subscribe: false, topic: other }], messages: [{ topic, data, from: data, seqno: data }] },
    { subscriptions: [], messages: [], control },
  ].map((frame) => RPC.encode(frame));
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** A frame that gossipsub receives: it is handled, or the peer is reported. */
  "gossip-frame": {
    seeds: frames,
    words: TOPICS,
    async run(input) {
      const library = await receiver();
      const before = malformed;
      await library.handleReceivedRpc(PEER, library.decodeRpc(input));
      assert(malformed - before <= 1);
    },
  },
};
