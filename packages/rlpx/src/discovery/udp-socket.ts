import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { parseIp, plainBytes } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import type { UdpAddress } from "./udp-address.js";

/** Size of the system's buffer for received packets, in bytes: some 2000 pings. */
const RECEIVE_BUFFER = 1 << 20;

/** A bound UDP socket. Errors after binding never end it. */
export interface UdpSocket {
  readonly localPort: number;
  /** Sends a packet; does nothing for an address of another family. Failures are passed to `onError`. */
  send(packet: Uint8Array, to: UdpAddress): void;
  close(): Promise<void>;
}

export interface UdpListener {
  onPacket(packet: Uint8Array, from: UdpAddress): void;
  onError(error: Error): void;
}

/** Binds a socket. Rejects with {@link RlpxError} `LISTEN_FAILED`. */
export type OpenUdpSocket = (bind: { host: string; port: number }, listener: UdpListener) => Promise<UdpSocket>;

/** Binds IPv4. For an IPv6 address, binds both families if the system maps IPv4 addresses. */
export const openUdpSocket: OpenUdpSocket = async ({ host, port }, { onPacket, onError }) => {
  const isDual = isIPv6(host);
  const socket = createSocket({ type: isDual ? "udp6" : "udp4", recvBufferSize: RECEIVE_BUFFER });
  try {
    socket.bind(port, host);
    await once(socket, "listening");
  } catch (error) {
    socket.close();
    throw new RlpxError(
      { code: "LISTEN_FAILED", address: `UDP ${host}:${port}`, reason: (error as Error).message },
      { cause: error },
    );
  }
  socket.on("error", onError);
  socket.on("message", (packet: Uint8Array, from: RemoteInfo) => {
    const ip = parseIp(from.address);
    if (ip !== undefined) onPacket(plainBytes(packet), { ip: ip.text, udpPort: from.port });
  });
  return {
    localPort: socket.address().port,
    send(packet, { ip, udpPort }) {
      if (isIPv6(ip) && !isDual) return;
      const address = isDual && !isIPv6(ip) ? `::ffff:${ip}` : ip;
      socket.send(packet, udpPort, address, (error) => error === null || onError(error));
    },
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
};
