import type { Connection, PeerId, StreamHandler, Topology } from "@libp2p/interface";
import type { KadDHTComponents } from "@libp2p/kad-dht";
import { withOverrides } from "./overrides.js";

type Registrar = KadDHTComponents["registrar"];

/** Resolves with whether Status was exchanged; false if the connection ended before. */
export type WhenReady = (peer: PeerId) => Promise<boolean>;

/**
 * Delays a libp2p service until Status was exchanged with a peer. Before that, the service is not notified of the peer
 * and receives no streams from it (`spec/07 §D.5`: no message of any kind before Status).
 */
export function afterStatus<Components extends { registrar: Registrar }, Service>(
  create: (components: Components) => Service,
  whenReady: WhenReady,
): (components: Components) => Service {
  return (components) => {
    const own = { registrar: delayed(components.registrar, whenReady) } as Partial<Components>;
    return create(withOverrides(components, own));
  };
}

function delayed(registrar: Registrar, whenReady: WhenReady): Registrar {
  return withOverrides(registrar, { handle, register });

  function handle(protocol: string, handler: StreamHandler, options?: Parameters<Registrar["handle"]>[2]) {
    const later: StreamHandler = async (stream, connection) => {
      if (await whenReady(connection.remotePeer)) await handler(stream, connection);
      else stream.abort(new Error("status was not exchanged"));
    };
    return registrar.handle(protocol, later, options);
  }

  function register(protocol: string, topology: Topology, options?: Parameters<Registrar["register"]>[2]) {
    const onConnect = async (peer: PeerId, connection: Connection) => {
      if ((await whenReady(peer)) && connection.status === "open") topology.onConnect?.(peer, connection);
    };
    const later = {
      ...topology,
      onConnect: (peer: PeerId, connection: Connection) =>
        void onConnect(peer, connection).catch((error: Error) => connection.abort(error)),
    };
    return registrar.register(protocol, later, options);
  }
}
