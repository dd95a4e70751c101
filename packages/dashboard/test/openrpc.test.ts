import assert from "node:assert/strict";
import {
  curlOf,
  describe as inWords,
  isStructured,
  type MethodParam,
  readParams,
  wordsOf,
  written,
} from "../web/node/openrpc.js";

const HASH = { type: "string", pattern: "^0x.*$", title: "block hash" };
const param = (name: string, schema: MethodParam["schema"], required = true) => ({ name, schema, required });

describe("parameters of the playground", () => {
  it("are text where a method takes text, and JSON elsewhere", () => {
    const params = [
      param("address", HASH),
      param("full", { type: "boolean" }),
      param("call", { $ref: "#/components/schemas/Call" }),
      param("count", { anyOf: [{ type: "integer" }, { type: "null" }] }, false),
      param("block", { anyOf: [{ enum: ["latest"], type: "string" }, { type: "null" }] }, false),
    ];
    assert.deepEqual(readParams(params, ["0x12", "true", '{"to":"0x34"}', "", ""]), ["0x12", true, { to: "0x34" }]);
    assert.deepEqual(readParams(params, ["12", "false", "{}", "5", "latest"]), ["12", false, {}, 5, "latest"]);
    assert.deepEqual(readParams(params, ["12", "false", "{}", "", "latest"]), ["12", false, {}, null, "latest"]);
    assert.throws(() => readParams(params, ["", "true", "{}"]), /address is missing/);
    assert.throws(() => readParams(params, ["1", "true", "{"]), /call is not JSON/);
  });

  it("are described in a few words", () => {
    const block = { anyOf: [{ type: "string", enum: ["latest", "earliest"] }, HASH, { type: "null" }] };
    assert.equal(inWords(block), "latest, earliest or block hash");
    assert.deepEqual(wordsOf(block), ["latest", "earliest"]);
    assert.equal(inWords({ $ref: "#/components/schemas/Call" }), "Call");
    assert.ok(isStructured({ anyOf: [{ type: "array" }, { type: "null" }] }));
    assert.ok(!isStructured(block));
    assert.deepEqual([written("0x1"), written(undefined), written({ a: 1 })], ["0x1", "", '{\n  "a": 1\n}']);
  });

  it("make a command that a shell takes as it is meant", () => {
    const command = curlOf("http://127.0.0.1:4444/", { text: "it's" });
    assert.equal(
      command,
      `curl -s -H 'Content-Type: application/json' --data '{"text":"it'\\''s"}' 'http://127.0.0.1:4444/'`,
    );
  });
});
