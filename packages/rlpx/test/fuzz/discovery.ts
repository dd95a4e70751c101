import { concatBytes, keccak256, secp256k1 } from "@cambium/primitives";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { type DiscoveryMessage, encodeDiscoveryPacket } from "../../src/discovery/packets.js";
import { identityOf, NETWORK_ID, strangerAt, World } from "../discovery/world.js";

const { privateKey, nodeId, address } = strangerAt("8.8.4.4");
const ENVELOPE = { messageId: "12345678-1234-4234-8234-123456789abc", networkId: NETWORK_ID };
const FROM = { host: address.ip, udpPort: address.udpPort, tcpPort: address.udpPort };
const TO = { host: "9.9.9.9", udpPort: 5050, tcpPort: 5050 };
const MESSAGES: readonly DiscoveryMessage[] = [
  { kind: "ping", from: FROM, to: TO, ...ENVELOPE },
  { kind: "pong", from: FROM, to: TO, ...ENVELOPE },
  { kind: "findNode", nodeId: identityOf("target").nodeId, ...ENVELOPE },
  { kind: "neighbors", nodes: [{ ...FROM, nodeId }], ...ENVELOPE },
];
const HEAD = 32 + 65;

function signed(content: Uint8Array): Uint8Array {
  const { signature, recovery } = secp256k1.sign(keccak256(content), privateKey);
  const rest = concatBytes(signature, Uint8Array.of(recovery), content);
  return concatBytes(keccak256(rest), rest);
}

let opened: Promise<World> | undefined;

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Sends type and list of a correctly signed and hashed packet to a running service. */
  "discovery-service": {
    seeds: () => MESSAGES.map((message) => encodeDiscoveryPacket(message, privateKey).subarray(HEAD)),
    words: [ENVELOPE.messageId],
    async run(input) {
      const world = await (opened ??= World.open());
      world.deliver(signed(input), address);
      world.clock.pass(1000);
      await world.settle();
      world.take();
    },
  },
};
