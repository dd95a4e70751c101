import type { Clock, Logger } from "@cambium/primitives";
import type { UdpAddress } from "./udp-address.js";
import type { OpenUdpSocket } from "./udp-socket.js";

/** A node that answers at its UDP address. It may serve other chains: that is known after connecting to it. */
export interface DiscoveredNode extends UdpAddress {
  /** 64 bytes. */
  id: Uint8Array;
  /** The UDP port, unless the node is a boot node that was configured with another one. */
  tcpPort: number;
}

/** A configured node at which discovery starts. */
export interface BootNode {
  /** An IP address, or a name that is resolved with DNS. */
  host: string;
  /** 0 if the node takes no part in discovery. */
  udpPort: number;
  tcpPort: number;
  /** If given, 64 bytes: a node with another id at that address is ignored. */
  id?: Uint8Array;
}

/** Keeps nodes across restarts. Both functions may throw. */
export interface NodeStore {
  /** Empty if nothing was stored. */
  read(): readonly DiscoveredNode[];
  write(nodes: readonly DiscoveredNode[]): void;
}

export interface DiscoveryOptions {
  identity: { privateKey: Uint8Array; nodeId: Uint8Array };
  /** P2P network id (`spec/07 §A.1`). */
  networkId: number;
  /** Port 0 chooses a free one. */
  bind: { host: string; port: number };
  /** The own endpoint that packets state; port 0 stands for the bound port. Deployed nodes ignore it. */
  advertised: { host: string; port: number };
  bootNodes: readonly BootNode[];
  /** Whether nodes may have private addresses, and any number of nodes the same one: only on private networks. */
  allowsPrivate: boolean;
  /** False for banned addresses and nodes. The id is undefined before it is known. */
  isAllowed(ip: string, nodeId: Uint8Array | undefined): boolean;
  /** Whether each new node is asked for others immediately, rather than every minute. False by default. */
  wantsNodes?: () => boolean;
  /** Whether the boot nodes are pinged each minute, whatever nodes are known. False by default. */
  isIsolated?: () => boolean;
  store: NodeStore;
  clock: Clock;
  logger: Logger;
  /** All addresses of a name; DNS by default. Rejects if there are none. */
  resolve?: (host: string) => Promise<readonly string[]>;
  /** A UDP socket of the platform by default. */
  openSocket?: OpenUdpSocket;
}

export interface Discovery {
  readonly localPort: number;
  /** The nodes in the table. */
  nodes(): readonly DiscoveredNode[];
  /** The boot nodes that have answered, whether or not the table had room for them. */
  bootNodes(): readonly DiscoveredNode[];
  /** Calls `listener` for each node that enters the table; returns a function that removes the listener. */
  onNode(listener: (node: DiscoveredNode) => void): () => void;
  /** Stores the nodes and closes the socket. */
  stop(): Promise<void>;
}
