import { messageOf, parseIp } from "@cambium/primitives";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { NetworkingError } from "../errors.js";
import type { PeerAddress, PeerId } from "../interface.js";

/** Parses a multiaddr. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function parseMultiaddr(text: string, option: string): Multiaddr {
  try {
    return multiaddr(text);
  } catch (error) {
    throw new NetworkingError(
      {
        code: "INVALID_OPTION",
        option,
        reason: `${text} is not an address such as /ip4/192.0.2.1/tcp/30330: ${messageOf(error)}`,
      },
      { cause: error },
    );
  }
}

/** Parses an address that ends in a peer id. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function parsePeerMultiaddr(text: string, option: string): { address: Multiaddr; peer: PeerId } {
  const address = parseMultiaddr(text, option);
  const peer = peerOf(address);
  if (peer !== undefined) return { address, peer };
  throw new NetworkingError({ code: "INVALID_OPTION", option, reason: `${text} does not end in /p2p/<peer id>` });
}

/** The peer id in an address; undefined if there is none. */
export function peerOf(address: Multiaddr): PeerId | undefined {
  return address.getComponents().findLast(({ name }) => name === "p2p")?.value;
}

/** The IP address and port; undefined for DNS names. */
export function placeOf(address: Multiaddr): PeerAddress | undefined {
  const components = address.getComponents();
  const ip = parseIp(components.find(({ name }) => name === "ip4" || name === "ip6")?.value ?? "");
  const port = components.find(({ name }) => name === "tcp")?.value;
  return ip === undefined || port === undefined ? undefined : { ip: ip.text, port: Number(port) };
}
