import assert from "node:assert/strict";
import { concatBytes, encodeRlp, fromHex, keccak256, toHex, utf8 } from "@cambium/primitives";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { RlpxError } from "../../src/errors.js";
import { decryptEcies, encryptEcies } from "../../src/transport/ecies.js";
import { answerAuth, InitiatorHandshake, newHandshakeRandom } from "../../src/transport/handshake.js";
import { sealPacket } from "../../src/transport/handshake-packets.js";
import { agreementKey, newPrivateKey } from "../../src/transport/key-agreement.js";
import { PacketReader } from "../../src/transport/packet-reader.js";
import type { FrameSecrets } from "../../src/transport/secrets.js";
import { HANDSHAKES, open, type RecordedHandshake, randomOf } from "./vectors.js";

/** Recorded packets that this node would have written differently, with the reason. */
const WRITTEN_OTHERWISE = {
  initiator: ["EIP-8 published", "eip8 version 5 in auth"],
  responder: ["ack in the old form to an EIP-8 auth"],
} as const;

function knownOf(role: "initiator" | "responder"): readonly RecordedHandshake[] {
  return HANDSHAKES.filter(
    ({ name, [role]: side }) =>
      side.ephemeralPrivate !== undefined && !(WRITTEN_OTHERWISE[role] as readonly string[]).includes(name),
  );
}

function assertSecrets(actual: FrameSecrets, { secrets }: RecordedHandshake, isInitiator: boolean): void {
  assert.equal(toHex(actual.aes), secrets.aes);
  assert.equal(toHex(actual.mac), secrets.mac);
  const digests = [toHex(keccak256(actual.egress)), toHex(keccak256(actual.ingress))];
  const recordedDigests = [secrets.initiatorEgressMacDigest, secrets.initiatorIngressMacDigest];
  assert.deepEqual(isInitiator ? digests : digests.reverse(), recordedDigests);
}

const isRlpxError = (code: string) => (error: unknown) => error instanceof RlpxError && error.code === code;

describe("handshake", () => {
  const identity = agreementKey(newPrivateKey());
  const other = agreementKey(newPrivateKey());

  for (const handshake of knownOf("initiator")) {
    it(`repeats "${handshake.name}" as initiator`, () => {
      const { initiator, responder, authForm } = handshake;
      const key = agreementKey(fromHex(initiator.staticPrivate));
      const own = new InitiatorHandshake(key, fromHex(responder.nodeId), randomOf(handshake, "initiator"), authForm);
      assert.equal(toHex(own.auth), handshake.auth);
      assertSecrets(own.receiveAck(open("ack", fromHex(handshake.ack), initiator)), handshake, true);
    });
  }

  for (const handshake of knownOf("responder")) {
    it(`repeats "${handshake.name}" as responder`, () => {
      const { initiator, responder } = handshake;
      const key = agreementKey(fromHex(responder.staticPrivate));
      const received = open("auth", fromHex(handshake.auth), responder);
      const answer = answerAuth(key, received, randomOf(handshake, "responder"));
      assert.equal(toHex(answer.ack), handshake.ack);
      assert.equal(toHex(answer.remoteId), initiator.nodeId);
      assertSecrets(answer.secrets, handshake, false);
    });
  }

  it("gives the MAC state of the published EIP-8 vector", () => {
    const [published] = HANDSHAKES;
    const key = agreementKey(fromHex(published!.responder.staticPrivate));
    const received = open("auth", fromHex(published!.auth), published!.responder);
    const { secrets } = answerAuth(key, received, randomOf(published!, "responder"));
    const digest = keccak256(concatBytes(secrets.ingress, utf8("foo")));
    assert.equal(toHex(digest), "0c7ec6340062cc46f5e9f1e3cf86f8c8c403c5a0964f5df0ebd34a75ddc86db5");
  });

  for (const form of ["eip8", "old"] as const) {
    it(`ends in equal secrets at both sides, in the ${form} form`, () => {
      for (let i = 0; i < 20; i++) {
        const initiator = new InitiatorHandshake(identity, other.publicKey, newHandshakeRandom(), form);
        const answer = answerAuth(other, new PacketReader("auth", other).push(initiator.auth)!, newHandshakeRandom());
        assert.deepEqual(answer.remoteId, identity.publicKey);
        const received = new PacketReader("ack", identity).push(answer.ack)!;
        assert.equal(received.form, form);
        const secrets = initiator.receiveAck(received);
        const { egress, ingress, ...keys } = answer.secrets;
        assert.deepEqual(secrets, { ...keys, egress: ingress, ingress: egress });
      }
    });
  }

  it("writes EIP-8 packets that the reference client's reader takes, in one segment", () => {
    for (let i = 0; i < 20; i++) {
      const { auth } = new InitiatorHandshake(identity, other.publicKey, newHandshakeRandom());
      assert.ok(auth.length - 2 >= 307 && auth.length < 600, `${auth.length}`);
      const { ack } = answerAuth(other, new PacketReader("auth", other).push(auth)!, newHandshakeRandom());
      assert.ok(ack.length - 2 >= 210 && ack.length < 600, `${ack.length}`);
    }
  });

  it("reads packets cut anywhere, and returns what follows them", () => {
    const next = random(SEED);
    for (const { auth, ack, initiator, responder } of HANDSHAKES) {
      for (const [kind, packet, side] of [
        ["auth", auth, responder],
        ["ack", ack, initiator],
      ] as const) {
        const reader = new PacketReader(kind, agreementKey(fromHex(side.staticPrivate)));
        const bytes = fromHex(packet);
        let offset = 0;
        let received: ReturnType<PacketReader["push"]>;
        while (received === undefined) {
          const end = offset + 1 + Math.floor(next() * 200);
          received = reader.push(
            end < bytes.length ? bytes.subarray(offset, end) : concatBytes(bytes.subarray(offset), utf8("rest")),
          );
          assert.equal(received !== undefined, end >= bytes.length, `${end} of ${bytes.length}`);
          offset = end;
        }
        assert.deepEqual(received, { ...open(kind, bytes, side), rest: received.rest });
        assert.equal(Buffer.from(received.rest).toString(), "rest");
      }
    }
  });

  it("refuses packets for another key, with a wrong tag, or of impossible size", () => {
    const { auth } = new InitiatorHandshake(identity, other.publicKey, newHandshakeRandom());
    assert.throws(() => new PacketReader("auth", identity).push(auth), isRlpxError("MALFORMED"));
    const wrong = Uint8Array.from(auth);
    wrong[wrong.length - 1]! ^= 1;
    assert.throws(() => new PacketReader("auth", other).push(wrong), isRlpxError("MALFORMED"));
    const small = Uint8Array.from({ length: 400 }, (_, i) => i & 0xff);
    assert.throws(() => new PacketReader("auth", other).push(small), isRlpxError("MALFORMED"));
    const http = utf8("GET / HTTP/1.1\r\nhost: x\r\n".padEnd(320, "a"));
    assert.throws(() => new PacketReader("auth", other).push(http), isRlpxError("TOO_LARGE"));
  });

  it("refuses an auth whose signature recovers no key or another one than announced", () => {
    const nonce = new Uint8Array(32).fill(1);
    const seal = (signature: Uint8Array) => {
      const plaintext = encodeRlp([signature, identity.publicKey, nonce, Uint8Array.of(4)]);
      return sealPacket(plaintext, "eip8", other.publicKey, newHandshakeRandom().packet);
    };
    for (const signature of [new Uint8Array(65), new Uint8Array(65).fill(0xff), new Uint8Array(65).fill(2)]) {
      const received = new PacketReader("auth", other).push(seal(signature))!;
      assert.throws(() => answerAuth(other, received, newHandshakeRandom()), isRlpxError("MALFORMED"));
    }
    const { auth } = new InitiatorHandshake(identity, other.publicKey, newHandshakeRandom(), "old");
    const received = new PacketReader("auth", other).push(auth)!;
    received.plaintext[70]! ^= 1;
    assert.throws(() => answerAuth(other, received, newHandshakeRandom()), isRlpxError("MALFORMED"));
  });

  it("refuses keys that are no curve points", () => {
    const nowhere = new Uint8Array(64).fill(7);
    assert.throws(() => new InitiatorHandshake(identity, nowhere, newHandshakeRandom()), isRlpxError("MALFORMED"));
    const box = encryptEcies(other.publicKey, utf8("text"), utf8("mac"), newHandshakeRandom().packet);
    assert.equal(Buffer.from(decryptEcies(other, box, utf8("mac"))).toString(), "text");
    const elsewhere = Uint8Array.from(box);
    elsewhere.fill(7, 1, 65);
    assert.throws(() => decryptEcies(other, elsewhere, utf8("mac")), isRlpxError("MALFORMED"));
  });
});
