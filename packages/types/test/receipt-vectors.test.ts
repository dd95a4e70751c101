import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { decodeRlpItem, fromHex, toHex } from "@cambium/primitives";
import {
  bloomContains,
  bloomOfLogs,
  decodeReceipt,
  encodeReceipt,
  type Receipt,
  receiptsRoot,
  summariseReceipt,
  uniteBlooms,
} from "../src/index.js";

// spec/01 §3.6
const word = (n: number) => fromHex(n.toString(16).padStart(64, "0"));
const log = {
  address: fromHex("0000000000000000000000000000000001000006"),
  topics: [word(1), word(2)],
  data: fromHex("c0ffee"),
};
const none = { logs: [], logsBloom: new Uint8Array(256) };
const zeros = (n: number) => "00".repeat(n);

const vectors: readonly (readonly [string, Receipt, string])[] = [
  [
    "success with a log",
    { status: 1, cumulativeGas: 21000, gasUsed: 21000, logs: [log], logsBloom: bloomOfLogs([log]) },
    `f9016c01825208b9010004${zeros(60)}04${zeros(23)}0400000000000040${zeros(77)}0100000000000000000000000002${zeros(38)}40000000000000000000000000000000100000000000008000000000000000000000f85ff85d94${zeros(16)}01000006f842a0${zeros(31)}01a0${zeros(31)}0283c0ffee82520801`,
  ],
  [
    "failure",
    { status: 0, cumulativeGas: 42000, gasUsed: 21000, ...none },
    `f9010c8082a410b90100${zeros(256)}c082520880`,
  ],
  [
    "success",
    { status: 1, cumulativeGas: 21000, gasUsed: 21000, ...none },
    `f9010c01825208b90100${zeros(256)}c082520801`,
  ],
  ["no gas", { status: 1, cumulativeGas: 0, gasUsed: 0, ...none }, `f901080180b90100${zeros(256)}c08001`],
];

describe("receipts", () => {
  for (const [name, receipt, encoded] of vectors) {
    it(name, () => {
      assert.equal(toHex(encodeReceipt(receipt)), encoded);
      assert.deepEqual(decodeReceipt(fromHex(encoded)), receipt);
      const { logsBloom, logs } = receipt;
      assert.deepEqual(summariseReceipt(decodeRlpItem(fromHex(encoded))), { logsBloom, logCount: logs.length });
    });
  }

  it("have known roots", () => {
    const rules = rulesAt(NETWORKS.main, 4480892);
    const root = (index: number) => toHex(receiptsRoot([vectors[index]![1]], rules));
    assert.equal(root(2), "f98d6a85d8c70e7d098c465900328549add3b69cc63f5e34a148338dda3669a7");
    assert.equal(root(3), "66cfdb731f620cd96e2c2cb0f7d3c3a2879c29b40014aa27efbbf3cf9cd3b0f6");
  });

  const valid = vectors[3]![2];
  const rejected: readonly (readonly [string, string, string])[] = [
    ["status 2", valid.replace("f9010801", "f9010802"), "RECEIPT_FIELD"],
    ["different statuses", `${valid.slice(0, -2)}80`, "RECEIPT_MALFORMED"],
    ["five items", `f90107${valid.slice(6, -2)}`, "RECEIPT_MALFORMED"],
    ["zero gas as a byte", valid.replace("f901080180", "f901080100"), "RECEIPT_MALFORMED"],
    ["trailing byte", `${valid}00`, "RECEIPT_MALFORMED"],
    ["logs as a string", `${valid.slice(0, -6)}808001`, "RECEIPT_MALFORMED"],
    ["a log of one item", `f90109${valid.slice(6, -6)}c1c08001`, "RECEIPT_FIELD"],
    ["a short bloom", "c701808180c08001", "RECEIPT_FIELD"],
  ];
  for (const [name, hex, code] of rejected) {
    it(`rejects: ${name}`, () => assert.throws(() => decodeReceipt(fromHex(hex)), { code }));
  }
});

describe("blooms", () => {
  it("contain their values", () => {
    const bloom = bloomOfLogs([log]);
    for (const value of [log.address, ...log.topics]) assert.equal(bloomContains(bloom, value), true);
    assert.equal(bloomContains(bloom, word(3)), false);
    assert.equal(bloomContains(new Uint8Array(256), word(1)), false);
  });

  it("form unions", () => {
    const other = { ...log, topics: [word(3)] };
    assert.deepEqual(uniteBlooms([bloomOfLogs([log]), bloomOfLogs([other])]), bloomOfLogs([log, other]));
    assert.deepEqual(uniteBlooms([]), new Uint8Array(256));
  });
});
