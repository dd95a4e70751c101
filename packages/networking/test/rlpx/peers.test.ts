import assert from "node:assert/strict";
import { secp256k1 } from "@cambium/primitives";
import type { RlpxConnection } from "@cambium/rlpx";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { SILENT } from "@cambium/test-utils/silent-logger";
import type { RlpxPeer } from "../../src/rlpx/peer.js";
import { RlpxPeers, type RlpxPeersParts } from "../../src/rlpx/peers.js";
import { peerIdOf } from "../../src/shared/peer-id.js";
import { tableOf } from "./parts.js";

const DUPLICATE_PEER = 0x05;

describe("peers of the deployed network's wire", () => {
  it("are asked for a sign of life on their old connection when they connect again", () => {
    const remoteId = secp256k1.publicKey(new Uint8Array(32).fill(1));
    let probes = 0;
    const existing = { id: peerIdOf(remoteId), connection: { probe: () => probes++ } } as unknown as RlpxPeer;
    const peers = new RlpxPeers({
      peers: tableOf(existing),
      gate: { refusal: () => "duplicatePeer" },
      clock: new ManualClock(),
      logger: SILENT,
    } as unknown as RlpxPeersParts);
    const reasons: number[] = [];
    const connection = {
      remoteId,
      remoteAddress: { ip: "10.0.0.1", port: 1 },
      direction: "inbound",
      disconnect: (reason: number) => void reasons.push(reason),
    } as unknown as RlpxConnection;
    assert.throws(() => peers.adopt(connection), /DISCONNECTED/);
    assert.deepEqual(reasons, [DUPLICATE_PEER]);
    assert.equal(probes, 1);
  });
});
