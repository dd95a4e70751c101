import {
  FrameReader,
  frameOf,
  networkLabel,
  type ProtocolName,
  protocolId,
  type Status,
  statusProtocol,
} from "@cambium/networking/testing";
import { concatBytes } from "@cambium/primitives";
import { noise } from "@chainsafe/libp2p-noise";
import { identify } from "@libp2p/identify";
import type { Connection, Libp2p, PrivateKey, Stream } from "@libp2p/interface";
import { ping } from "@libp2p/ping";
import { type TCPSocketOptions, tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { openTestChain } from "./network-nodes.js";

const PATIENCE = { firstByte: 20_000, whole: 20_000 };
const MAX_BYTES = 5 * 1024 * 1024;

export interface RawPeerOptions {
  /** Members of the peer's Status that differ from those of an empty chain. */
  status?: Partial<Status>;
  /** Local address of the peer's outbound connections. */
  from?: string;
  /** Whether the peer accepts inbound connections. */
  listens?: boolean;
  /** Key of the peer; a new one by default. */
  key?: PrivateKey;
}

/** A peer whose every byte is controlled by a test. */
export class RawPeer {
  private constructor(
    readonly libp2p: Libp2p,
    readonly label: string,
    readonly status: Status,
  ) {}

  /** Starts a peer that supports no protocol besides libp2p's own. */
  static async start(options: RawPeerOptions = {}): Promise<RawPeer> {
    const { status: claims, from, listens = true, key } = options;
    const chain = await openTestChain();
    const libp2p = await createLibp2p({
      addresses: { listen: listens ? ["/ip4/127.0.0.1/tcp/0"] : [] },
      transports: [tcp({ dialOpts: { localAddress: from } as TCPSocketOptions })],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux()],
      services: { identify: identify(), ping: ping() },
      // Only the node under test may end connections, even on a busy machine.
      connectionMonitor: { enabled: false },
      ...(key && { privateKey: key }),
    });
    const { header, hash, totalDifficulty } = chain.best();
    const status: Status = {
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

  /** Handles every stream of a protocol with `handler`. */
  async serve(name: ProtocolName, handler: (stream: Stream) => void | Promise<void>): Promise<void> {
    await this.libp2p.handle(protocolId(name, this.label), (stream) => handler(stream), { force: true });
  }

  /** Responds to every request with these frames, each with its result code, and closes the stream. */
  async answer(name: ProtocolName, ...frames: Uint8Array[]): Promise<void> {
    await this.serve(name, (stream) => this.respond(stream, ...frames));
  }

  /** Responds to the request on a stream with these frames, and closes the stream. */
  async respond(stream: Stream, ...frames: Uint8Array[]): Promise<void> {
    await new FrameReader(stream).read(MAX_BYTES, PATIENCE);
    for (const frame of frames) stream.send(frameOf(frame));
    await stream.close().catch(() => undefined);
  }

  /** Completes the Status exchange with any peer. */
  async greet(): Promise<void> {
    await this.answer("status", data(statusProtocol.encodeItem(this.status)));
  }

  dial(node: { address: string }): Promise<Connection> {
    return this.libp2p.dial(multiaddr(node.address));
  }

  open(connection: Connection, name: ProtocolName): Promise<Stream> {
    return connection.newStream(protocolId(name, this.label), { maxOutboundStreams: 100_000 });
  }

  /** Opens and resets streams one after the other; returns how many were opened before the connection ended. */
  async churn(connection: Connection, count: number): Promise<number> {
    const signal = AbortSignal.abort();
    let opened = 0;
    for (; opened < count && connection.status === "open"; opened++) {
      await connection.newStream("/none", { signal }).catch(() => undefined);
      if (opened % 64 === 0) await new Promise(setImmediate);
    }
    return opened;
  }

  /** Sends a request and reads the response. Returns its frames, and how the stream ended. */
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

  /** Connects to a node and completes the Status exchange. */
  async meet(node: { address: string }): Promise<Connection> {
    await this.greet();
    const connection = await this.dial(node);
    await this.ask(connection, "status", statusProtocol.encodeRequest(this.status));
    return connection;
  }
}

/** A success frame. */
export function data(payload: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0), payload);
}

/** An error frame. */
export function refusal(code: number, textBytes = 0): Uint8Array {
  return Uint8Array.of(code, ...new Uint8Array(textBytes).fill(0x61));
}
