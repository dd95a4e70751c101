import assert from "node:assert/strict";
import { fromHex, leftPad, toData, utf8 } from "@cambium/primitives";
import { bridge } from "@rsksmart/rsk-precompiled-abis";
import { Interface, zeroPadValue } from "ethers";
import { decodeBridgeEvent } from "../src/index.js";

/** A value of each type, in the form for ethers and as text. */
const VALUES: Readonly<Record<string, unknown>> = {
  address: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
  bytes32: `0x${"ab".repeat(32)}`,
  bytes: "0x1234",
  string: "bc1 address",
  int256: 7n,
  uint256: 8n,
  bool: true,
};

describe("decoding of the bridge's events", () => {
  it("decodes every event of the published ABI, with its names", () => {
    const abi = new Interface(bridge.abi);
    abi.forEachEvent((event) => {
      const expected = event.inputs.map(({ name, type }) => [name, VALUES[type]]);
      const { topics, data } = abi.encodeEventLog(
        event,
        expected.map(([, value]) => value),
      );
      const decoded = decodeBridgeEvent(topics.map(bytes), bytes(data));
      assert.equal(decoded?.name, event.name);
      const shown = Object.entries(decoded.arguments).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? toData(value) : value,
      ]);
      assert.deepEqual(shown, expected);
    });
  });

  it("names events from before RSKIP-146, and keeps their data", () => {
    const data = Uint8Array.of(1, 2);
    const decoded = decodeBridgeEvent([leftPad(utf8("release_btc_topic"), 32)], data);
    assert.deepEqual(decoded, { name: "release_btc_topic", arguments: { data } });
  });

  it("leaves other logs, and malformed ones, alone", () => {
    assert.equal(decodeBridgeEvent([], new Uint8Array()), undefined);
    assert.equal(decodeBridgeEvent([new Uint8Array(32).fill(1)], new Uint8Array()), undefined);
    const topic = bytes(new Interface(bridge.abi).getEvent("pegin_btc")!.topicHash);
    const account = bytes(zeroPadValue("0x01", 32));
    assert.equal(decodeBridgeEvent([topic, account, account], new Uint8Array(40)), undefined);
  });
});

function bytes(data: string): Uint8Array {
  return fromHex(data.slice(2));
}
