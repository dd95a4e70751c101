import type { Clock, Logger } from "@cambium/primitives";
import type { UdpAddress } from "./udp-address.js";
import type { OpenUdpSocket } from "./udp-socket.js";

/** A node that answers at its UDP address. It may serve other chains, which a connection reveals. */
export interface DiscoveredNode extends UdpAddress {
  /** Node id, 64 bytes. */
  id: Uint8Array;
  /** TCP port: the UDP port, unless the node is a boot node that was configured with another one. */
  tcpPort: number;
}

/** A configured node at which discovery starts. */
export interface BootNode {
  /** IP address, or a name that is resolved with DNS. */
  host: string;
  /** UDP port; 0 if the node takes no part in discovery. */
  udpPort: number;
  tcpPort: number;
  /** Expected node id, 64 bytes; a node with another id at that address is ignored. */
  id?: Uint8Array;
}

/** Keeps nodes across restarts. Both functions may throw. */
export interface NodeStore {
  /** Returns the stored nodes; empty if there are none. */
  read(): readonly DiscoveredNode[];
  write(nodes: readonly DiscoveredNode[]): void;
}

export interface DiscoveryOptions {
  identity: { privateKey: Uint8Array; nodeId: Uint8Array };
  /** P2P network id (`spec/07 §A.1`). */
  networkId: number;
  /** Address to bind; port 0 chooses a free one. */
  bind: { host: string; port: number };
  /** Own endpoint in packets; port 0 stands for the bound port. Deployed nodes ignore it. */
  advertised: { host: string; port: number };
  bootNodes: readonly BootNode[];
  /** Whether nodes may have private addresses, and share an address in any number: only on private networks. */
  allowsPrivate: boolean;
  /** Whether a node is allowed; false for banned addresses and nodes. The id is undefined before it is known. */
  isAllowed(ip: string, nodeId: Uint8Array | undefined): boolean;
  /** Whether each new node is queried for others immediately, rather than every minute. False by default. */
  wantsNodes?: () => boolean;
  /** Whether the boot nodes are pinged each minute, regardless of known nodes. False by default. */
  isIsolated?: () => boolean;
  store: NodeStore;
  clock: Clock;
  logger: Logger;
  /** Returns all addresses of a name; by DNS by default. Rejects if there are none. */
  resolve?: (host: string) => Promise<readonly string[]>;
  /** Opens a UDP socket; by default one of the platform. */
  openSocket?: OpenUdpSocket;
}

export interface Discovery {
  readonly localPort: number;
  /** Returns the nodes in the table. */
  nodes(): readonly DiscoveredNode[];
  /** Returns the boot nodes that have answered, whether or not the table had room for them. */
  bootNodes(): readonly DiscoveredNode[];
  /** Calls `listener` for each node that enters the table; returns a function that removes the listener. */
  onNode(listener: (node: DiscoveredNode) => void): () => void;
  /** Stores the nodes and closes the socket. */
  stop(): Promise<void>;
}
