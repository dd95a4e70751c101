import type { PeerStatus } from "@cambium/networking";
import {
  FrameReader,
  frameOf,
  networkLabel,
  type ProtocolName,
  protocolId,
  statusProtocol,
} from "@cambium/networking/testing";
import { concatBytes } from "@cambium/primitives";
import { noise } from "@chainsafe/libp2p-noise";
import { identify } from "@libp2p/identify";
import type { Connection, Libp2p, Stream } from "@libp2p/interface";
import { ping } from "@libp2p/ping";
import { type TCPSocketOptions, tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { openTestChain } from "./network-nodes.js";

const PATIENCE = { firstByte: 20_000, whole: 20_000 };
const MAX_BYTES = 5 * 1024 * 1024;

export interface RawPeerOptions {
  /** What its Status says otherwise than that of an empty chain. */
  status?: Partial<PeerStatus>;
  /** Address it calls from. */
  from?: string;
  /** Whether others can call it. */
  listens?: boolean;
}

/** A peer that does what a test tells it to, byte for byte. */
export class RawPeer {
  private constructor(
    readonly libp2p: Libp2p,
    readonly label: string,
    readonly status: PeerStatus,
  ) {}

  /** Speaks nothing but libp2p itself until told to. */
  static async start(options: RawPeerOptions = {}): Promise<RawPeer> {
    const { status: claims, from, listens = true } = options;
    const chain = await openTestChain();
    const libp2p = await createLibp2p({
      addresses: { listen: listens ? ["/ip4/127.0.0.1/tcp/0"] : [] },
      transports: [tcp({ dialOpts: { localAddress: from } as TCPSocketOptions })],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux()],
      services: { identify: identify(), ping: ping() },
    });
    const { header, hash, totalDifficulty } = chain.best();
    const status: PeerStatus = {
      chainId: chain.network.chainId,
      genesisHash: chain.genesis.hash,
      bestNumber: header.number,
      bestHash: hash,
      bestParentHash: header.parentHash,
      totalDifficulty,
      earliestBody: 0,
      flags: 0,
      listenPort: 0,
      clientId: "raw",
      ...claims,
    };
    return new RawPeer(libp2p, networkLabel(chain.network, chain.genesis.hash), status);
  }

  get id(): string {
    return this.libp2p.peerId.toString();
  }

  get address(): string {
    return this.libp2p.getMultiaddrs()[0]!.toString();
  }

  /** Answers every stream of a protocol as it likes. */
  async serve(name: ProtocolName, handler: (stream: Stream) => void | Promise<void>): Promise<void> {
    await this.libp2p.handle(protocolId(name, this.label), (stream) => handler(stream), { force: true });
  }

  /** Answers a request with these frames, each with its result code, and ends. */
  async answer(name: ProtocolName, ...frames: Uint8Array[]): Promise<void> {
    await this.serve(name, async (stream) => {
      await new FrameReader(stream).read(MAX_BYTES, PATIENCE);
      for (const frame of frames) stream.send(frameOf(frame));
      await stream.close().catch(() => undefined);
    });
  }

  /** Has Status agree, whoever asks. */
  async greet(): Promise<void> {
    await this.answer("status", data(statusProtocol.encodeItem(this.status)));
  }

  dial(node: { address: string }): Promise<Connection> {
    return this.libp2p.dial(multiaddr(node.address));
  }

  open(connection: Connection, name: ProtocolName): Promise<Stream> {
    return connection.newStream(protocolId(name, this.label), { maxOutboundStreams: 100_000 });
  }

  /** Opens so many streams, one after the other, and resets each at once; how many were opened before the connection ended. */
  async churn(connection: Connection, count: number): Promise<number> {
    const signal = AbortSignal.abort();
    let opened = 0;
    for (; opened < count && connection.status === "open"; opened++) {
      await connection.newStream("/none", { signal }).catch(() => undefined);
      if (opened % 64 === 0) await new Promise(setImmediate);
    }
    return opened;
  }

  /** Sends a request and reads the answer: its frames, and how it ended. */
  async ask(connection: Connection, name: ProtocolName, request: Uint8Array) {
    const stream = await this.open(connection, name);
    const reader = new FrameReader(stream);
    stream.send(frameOf(request));
    await stream.close();
    const frames: Uint8Array[] = [];
    while (true) {
      const outcome = await reader.read(MAX_BYTES, PATIENCE);
      if (outcome.kind !== "frame") return { frames, end: outcome.kind };
      frames.push(outcome.bytes);
    }
  }

  /** Connects to a node and has Status agree. */
  async meet(node: { address: string }): Promise<Connection> {
    await this.greet();
    const connection = await this.dial(node);
    await this.ask(connection, "status", statusProtocol.encodeRequest(this.status));
    return connection;
  }
}

/** A frame of data. */
export function data(payload: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0), payload);
}

/** A frame that refuses. */
export function refusal(code: number, textBytes = 0): Uint8Array {
  return Uint8Array.of(code, ...new Uint8Array(textBytes).fill(0x61));
}
