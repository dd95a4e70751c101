import { setMaxListeners } from "node:events";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { authority, isUnspecified, parseIp, platformClock, toHex } from "@cambium/primitives";
import {
  type Capability,
  type DiscoveredNode,
  type Discovery,
  dialRlpx,
  HeldBytes,
  listenRlpx,
  nodeFile,
  openDiscovery,
  type RlpxConnection,
  type RlpxListener,
  type RlpxOptions,
  RSK_CAPABILITIES,
} from "@cambium/rlpx";
import type { NetworkingOptions } from "../options.js";
import type { NetworkParts, WireSetup } from "../parts.js";
import type { DialTarget } from "../shared/dial-target.js";
import { MIB } from "../shared/limits.js";
import { peerIdOf } from "../shared/peer-id.js";

export interface RlpxHostParts {
  options: NetworkingOptions;
  parts: NetworkParts;
  setup: WireSetup;
  /** Own id, 64 bytes. */
  nodeId: Uint8Array;
  isDevelopment: boolean;
  /** Whether a node at this address may open a connection. */
  mayAccept(ip: string): boolean;
  /** Called with each inbound connection after its handshake. */
  onConnection(connection: RlpxConnection): void;
  /** Whether the node seeks more peers. */
  wantsNodes(): boolean;
}

/** Maximum bytes buffered by all connections together: room for the largest messages of 32 connections. */
const MAX_CONNECTION_BYTES = 256 * MIB;
const SNAP: Capability = { name: "snap", version: 1 };

/** Sockets of the deployed wire: listeners, outbound connections, discovery. */
export class RlpxHost {
  private readonly listeners: { host: string; listener: RlpxListener }[] = [];
  private readonly ending = new AbortController();
  private readonly heldBytes = new HeldBytes(MAX_CONNECTION_BYTES);
  private discovery: Discovery | undefined;

  constructor(private readonly parts: RlpxHostParts) {
    // Every dial in progress listens to the signal.
    setMaxListeners(0, this.ending.signal);
  }

  get isListening(): boolean {
    return !this.ending.signal.aborted && this.listeners.length > 0;
  }

  /** Listens on the configured addresses, all with one port. Rejects with `RlpxError` `LISTEN_FAILED`. */
  async listen(): Promise<void> {
    const { hosts, port } = this.parts.options.rlpx;
    for (const host of hosts) {
      const listener = await this.open(host, this.port ?? port);
      this.listeners.push({ host, listener });
    }
  }

  /** Starts discovery on the first address. Rejects with `RlpxError` `LISTEN_FAILED`. */
  async discover(): Promise<void> {
    const [first] = this.listeners;
    if (this.parts.options.discovery && first !== undefined) {
      this.discovery = await this.openDiscovery(first.host, first.listener.port);
    }
  }

  /** Connects to a node. Aborted by {@link stop}. */
  dial({ host, port, nodeId }: DialTarget): Promise<RlpxConnection> {
    const { signal } = this.ending;
    return dialRlpx({ ...this.connectionOptions(), host, port, remoteId: nodeId, signal });
  }

  /** Nodes that discovery has found. */
  discovered(): DialTarget[] {
    return targetsOf(this.discovery?.nodes());
  }

  /** Boot nodes that have answered. */
  bootNodes(): DialTarget[] {
    return targetsOf(this.discovery?.bootNodes());
  }

  /** Returns enode URLs that other nodes can dial. */
  addresses(): string[] {
    const { publicHost } = this.parts.options.rlpx;
    const id = toHex(this.parts.nodeId);
    return this.listeners.flatMap(({ host, listener }) => {
      const hosts = publicHost === undefined ? reachableHosts(host) : [publicHost];
      return hosts.map((reachable) => `enode://${id}@${authority({ host: reachable, port: listener.port })}`);
    });
  }

  /** Returns every `host:port` that leads to this node, including the public one. */
  ownPlaces(): string[] {
    const { publicHost } = this.parts.options.rlpx;
    return this.listeners.flatMap(({ host, listener: { port } }) =>
      [...reachableHosts(host), publicHost].map((reachable) => `${reachable}:${port}`),
    );
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.discovery?.stop();
    for (const { listener } of this.listeners) listener.close();
  }

  /** Port of the first listener. */
  private get port(): number | undefined {
    return this.listeners[0]?.listener.port;
  }

  private open(host: string, port: number): Promise<RlpxListener> {
    const { parts, setup, mayAccept, onConnection } = this.parts;
    return listenRlpx({
      ...this.connectionOptions(),
      host,
      port,
      mayAccept,
      onConnection,
      onFailedHandshake: (ip, { code }) => {
        if (code === "OWN_ID") setup.ownKey.proved(ip);
        else if (!this.ending.signal.aborted) parts.scoring.record({ ip }, "FAILED_HANDSHAKE");
      },
    });
  }

  private openDiscovery(host: string, port: number): Promise<Discovery> {
    const { options, parts, setup, nodeId, isDevelopment, wantsNodes } = this.parts;
    const { network, rlpx, folder } = options;
    const { scoring, logger } = parts;
    return openDiscovery({
      identity: { privateKey: setup.key, nodeId },
      networkId: network.networkId,
      bind: { host, port },
      advertised: { host: rlpx.publicHost ?? host, port },
      bootNodes: rlpx.bootNodes.map((node) => ({ host: node.host, udpPort: node.port, tcpPort: node.port })),
      allowsPrivate: isDevelopment,
      isAllowed: (ip, other) => {
        const id = other === undefined ? undefined : peerIdOf(other);
        return scoring.isGoodAddress(ip) && (id === undefined || scoring.isGoodPeer(id));
      },
      wantsNodes,
      isIsolated: () => setup.eclipse.isPossible(),
      store: nodeFile(join(folder, "discovered-nodes.json")),
      clock: platformClock,
      logger,
    });
  }

  private connectionOptions(): RlpxOptions {
    const { options, parts, setup, nodeId } = this.parts;
    const port = () => this.port ?? 0;
    const servesSnapshots = options.servesSnapshots && parts.sources.snapshots !== undefined;
    return {
      identity: { privateKey: setup.key, nodeId },
      hello: {
        clientId: options.clientId,
        capabilities: servesSnapshots ? [...RSK_CAPABILITIES, SNAP] : RSK_CAPABILITIES,
        get listenPort() {
          return port();
        },
      },
      requires: RSK_CAPABILITIES,
      heldBytes: this.heldBytes,
      clock: platformClock,
      logger: parts.logger,
      ...(parts.handshakeRandom && { random: parts.handshakeRandom }),
    };
  }
}

function targetsOf(nodes: readonly DiscoveredNode[] = []): DialTarget[] {
  return nodes.flatMap(({ id: nodeId, ip, tcpPort }) => {
    const id = peerIdOf(nodeId);
    return id === undefined ? [] : [{ id, nodeId, host: ip, port: tcpPort }];
  });
}

/** Returns the addresses of this machine that a listening address stands for. */
function reachableHosts(host: string): string[] {
  const ip = parseIp(host);
  if (ip === undefined || !isUnspecified(ip)) return [host];
  const family = ip.bytes.length === 4 ? "IPv4" : "IPv6";
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.filter((one) => one.family === family).map(({ address }) => address);
}
