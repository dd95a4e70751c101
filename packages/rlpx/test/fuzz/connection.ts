import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { fromHex, keccak256, utf8 } from "@cambium/primitives";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { encodeMessage } from "../../src/rsk/encoding.js";
import { EMPTY_LIST, GET_PEERS, HELLO, PING, PONG } from "../../src/transport/base-protocol.js";
import { type CloseReason, RlpxConnection } from "../../src/transport/connection.js";
import { DISCONNECT_REASONS, encodeDisconnect } from "../../src/transport/disconnect.js";
import { FrameDecoder } from "../../src/transport/frame-decoder.js";
import { FrameEncoder } from "../../src/transport/frame-encoder.js";
import { messagesIn, sequenceOf } from "../rsk/message-sequence.js";
import { settled } from "../rsk/session-parts.js";
import { newIdentity, optionsWith, RSK } from "../transport/options.js";

/** Secrets that are the same for both directions. */
const SECRETS = {
  aes: keccak256(utf8("aes")),
  mac: keccak256(utf8("mac")),
  egress: fromHex("01"),
  ingress: fromHex("01"),
};
const PEER = newIdentity(keccak256(utf8("peer"))).nodeId;
const OPTIONS = optionsWith({ identity: newIdentity(keccak256(utf8("own"))) });
const HOUR = 3_600_000;

/** A socket whose peer reads all that is sent, and sends what the test pushes. */
class PushedSocket extends Duplex {
  readonly remoteAddress = "192.0.2.1";
  readonly remotePort = 5050;
  bytesRead = 0;

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }

  override push(chunk: Uint8Array | null): boolean {
    this.bytesRead += chunk?.length ?? 0;
    return super.push(chunk);
  }
}

function connect(clock: ManualClock) {
  const socket = new PushedSocket();
  const hello = { p2pVersion: 4, clientId: "fuzz", capabilities: [RSK], listenPort: 5050, nodeId: PEER };
  const wire = { remoteId: PEER, hello, encoder: new FrameEncoder(SECRETS), decoder: new FrameDecoder(SECRETS) };
  const connection = new RlpxConnection(socket as unknown as Socket, "inbound", wire as never, { ...OPTIONS, clock });
  const received: number[] = [];
  const closings: CloseReason[] = [];
  connection.start({ onMessage: (code) => received.push(code), onClose: (reason) => closings.push(reason) });
  return { socket, received, closings };
}

const message = encodeMessage({ type: "getBlock", hash: new Uint8Array(32) });

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /**
   * Sends any messages of a peer after Hello, correctly encrypted. The connection must close once, at the latest when
   * the peer is silent.
   */
  connection: {
    seeds: () => [
      sequenceOf([{ code: PING, payload: EMPTY_LIST }, message, { code: PONG, payload: EMPTY_LIST }]),
      sequenceOf([message, { code: 1, payload: encodeDisconnect(DISCONNECT_REASONS.requested) }, message]),
      sequenceOf([{ code: GET_PEERS, payload: EMPTY_LIST }, { code: HELLO, payload: EMPTY_LIST }, message]),
      sequenceOf(Array(101).fill({ code: PING, payload: EMPTY_LIST })),
    ],
    async run(input) {
      const clock = new ManualClock();
      const { socket, received, closings } = connect(clock);
      const encoder = new FrameEncoder(SECRETS);
      let sent = 0;
      for (const { code, payload } of messagesIn(input)) {
        socket.push(encoder.encode(code, payload));
        clock.pass(payload.length);
        sent++;
      }
      await settled();
      assert(received.length <= sent && received.every((code) => code >= 0x10));
      clock.pass(HOUR);
      await settled();
      clock.pass(HOUR);
      await settled();
      assert.equal(closings.length, 1);
      assert.notEqual(closings[0]!.kind, "destroyed");
      assert.equal(clock.pending, 0);
    },
  },
};
