import { keccak256, secp256k1, toHex, utf8 } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { openDiscovery } from "../../src/discovery/discovery.js";
import type { DiscoveredNode, Discovery, DiscoveryOptions } from "../../src/discovery/interface.js";
import {
  type DiscoveryMessage,
  decodeDiscoveryPacket,
  encodeDiscoveryPacket,
  recoverDiscoverySender,
} from "../../src/discovery/packets.js";
import { addressKey, type UdpAddress } from "../../src/discovery/udp-address.js";
import type { UdpListener } from "../../src/discovery/udp-socket.js";

export const NETWORK_ID = 7771;
export const OWN_ADDRESS: UdpAddress = { ip: "9.9.9.9", udpPort: 5050 };

export function identityOf(seed: string) {
  const privateKey = keccak256(utf8(seed));
  return { privateKey, nodeId: secp256k1.publicKey(privateKey) };
}

/** A node that the test controls. */
export interface Stranger extends ReturnType<typeof identityOf> {
  address: UdpAddress;
}

export function strangerAt(ip: string, udpPort = 5050, seed = `${ip} ${udpPort}`): Stranger {
  return { ...identityOf(seed), address: { ip, udpPort } };
}

export interface Sent {
  message: DiscoveryMessage;
  packet: Uint8Array;
  to: UdpAddress;
}

/** A service with a controlled clock, whose packets the test answers. */
export class World {
  readonly clock = new ManualClock();
  /** Packets that the service sent and the test has not read. */
  readonly sent: Sent[] = [];
  readonly found: DiscoveredNode[] = [];
  readonly identity = identityOf("own");
  service!: Discovery;
  private listener!: UdpListener;

  static async open(options: Partial<DiscoveryOptions> = {}): Promise<World> {
    const world = new World();
    world.service = await openDiscovery({
      identity: world.identity,
      networkId: NETWORK_ID,
      bind: { host: "0.0.0.0", port: OWN_ADDRESS.udpPort },
      advertised: { host: OWN_ADDRESS.ip, port: 0 },
      bootNodes: [],
      allowsPrivate: false,
      isAllowed: () => true,
      store: { read: () => [], write() {} },
      clock: world.clock,
      logger: SILENT,
      resolve: () => Promise.reject(new Error("no DNS in this test")),
      ...options,
      openSocket: async ({ port }, listener) => {
        world.listener = listener;
        const send = (packet: Uint8Array, to: UdpAddress) =>
          void world.sent.push({ message: decodeDiscoveryPacket(packet), packet, to });
        return { localPort: port, send, close: async () => {} };
      },
    });
    world.service.onNode((node) => world.found.push(node));
    await world.settle();
    return world;
  }

  /** Lets promises of the service continue. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Delivers raw bytes. */
  deliver(packet: Uint8Array, from: UdpAddress): void {
    this.listener.onPacket(packet, from);
  }

  receive(from: Stranger, message: DiscoveryMessage, address = from.address): void {
    this.deliver(encodeDiscoveryPacket(message, from.privateKey), address);
  }

  ping(from: Stranger, address = from.address): void {
    this.deliver(pingOf(from), address);
  }

  pong(from: Stranger, messageId: string, address?: UdpAddress): void {
    const endpoint = { host: "a name", udpPort: 1, tcpPort: 1 };
    this.receive(from, { kind: "pong", from: endpoint, to: endpoint, ...envelope(messageId) }, address);
  }

  findNode(from: Stranger, address?: UdpAddress): void {
    this.receive(from, { kind: "findNode", nodeId: from.nodeId, ...envelope() }, address);
  }

  /** Removes and returns the sent packets, optionally of one kind to one node. */
  take(kind?: DiscoveryMessage["kind"], to?: Stranger): Sent[] {
    const isTaken = (sent: Sent) =>
      (kind === undefined || sent.message.kind === kind) &&
      (to === undefined || addressKey(sent.to) === addressKey(to.address));
    const taken = this.sent.filter(isTaken);
    this.sent.splice(0, this.sent.length, ...this.sent.filter((sent) => !isTaken(sent)));
    return taken;
  }

  /** Makes `from` known: it pings, and answers the ping that it receives. */
  introduce(from: Stranger): void {
    this.ping(from);
    this.answer(from);
    this.take(undefined, from);
  }

  /** Answers the pings to `from`; returns their number. */
  answer(from: Stranger): number {
    const pings = this.take("ping", from);
    for (const { message } of pings) this.pong(from, message.messageId);
    return pings.length;
  }

  /** The addresses in the table. */
  get known(): string[] {
    return this.service.nodes().map(addressKey);
  }
}

/** A packet of a ping. */
export function pingOf({ address: { ip, udpPort }, privateKey }: Stranger): Uint8Array {
  const endpoint = { host: ip, udpPort, tcpPort: udpPort };
  return encodeDiscoveryPacket({ kind: "ping", from: endpoint, to: endpoint, ...envelope() }, privateKey);
}

let messages = 0;

export function envelope(messageId?: string): { messageId: string; networkId: number } {
  const digits = (++messages).toString(16).padStart(12, "0");
  return { messageId: messageId ?? `00000000-0000-4000-8000-${digits}`, networkId: NETWORK_ID };
}

/** Whether a packet is signed by the key of an identity. */
export function isFrom({ packet }: Sent, { nodeId }: { nodeId: Uint8Array }): boolean {
  return toHex(recoverDiscoverySender(packet)) === toHex(nodeId);
}
