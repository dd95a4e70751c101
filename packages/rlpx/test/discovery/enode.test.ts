import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { parseEnode } from "../../src/discovery/enode.js";
import { RlpxError } from "../../src/errors.js";
import { identityOf } from "./world.js";

const id = identityOf("enode").nodeId;
const HEX = toHex(id);

describe("parseEnode", () => {
  for (const [rest, expected] of [
    ["1.2.3.4:5050", { host: "1.2.3.4", udpPort: 5050, tcpPort: 5050 }],
    ["node.example.org:1?discport=65535", { host: "node.example.org", udpPort: 65535, tcpPort: 1 }],
    ["[2001:db8::1]:30303?discport=0", { host: "2001:db8::1", udpPort: 0, tcpPort: 30303 }],
  ] as const) {
    it(`accepts ${rest}`, () => assert.deepEqual(parseEnode(`enode://${HEX}@${rest}`, "nodes"), { id, ...expected }));
  }

  it("accepts an upper-case id", () => {
    assert.deepEqual(parseEnode(`enode://${HEX.toUpperCase()}@1.2.3.4:1`, "nodes").id, id);
  });

  for (const [text, reason] of [
    ["", /not of the form/],
    [`http://${HEX}@1.2.3.4:5050`, /not of the form/],
    [`enode://${HEX}@1.2.3.4:65536`, /not of the form/],
    [`enode://${HEX.slice(2)}@1.2.3.4:5050`, /not 128 hex digits/],
    ["enode://1.2.3.4:5050", /not 128 hex digits/],
    [`enode://${"00".repeat(64)}@1.2.3.4:5050`, /not a public key/],
    [`enode://${HEX}@1.2.3.4`, /lacks a host or a port/],
    [`enode://${HEX}@1.2.3.4:0`, /lacks a host or a port/],
    [`enode://${HEX}@1.2.3.4:1?discport=65536`, /discport/],
    [`enode://${HEX}@1.2.3.4:1?discport=x`, /discport/],
  ] as const) {
    it(`refuses ${text.replace(HEX, "<id>")}`, () => {
      assert.throws(
        () => parseEnode(text, "nodes"),
        (error) => {
          assert.ok(error instanceof RlpxError && error.details.code === "INVALID_OPTION");
          assert.equal(error.details.option, "nodes");
          assert.match(error.details.reason, reason);
          return true;
        },
      );
    });
  }
});
