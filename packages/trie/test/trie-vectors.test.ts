import assert from "node:assert/strict";
import { EMPTY_TRIE_ROOT, fromHex, toHex, utf8 } from "@cambium/primitives";
import { orderedListRoot, Trie } from "../src/index.js";

const zeros = (count: number): string => "00".repeat(count);
const ascii = (text: string): string => toHex(utf8(text));

/** Rows of spec/01 §4.8: content, root message, hash, old hash (secure off). */
const vectors: readonly [content: [string, string][], message: string, hash: string, oldHash: string][] = [
  [
    [[ascii("foo"), ascii("bar")]],
    "5017666f6f626172",
    "b0ef5f9523a00c148e2c6f6ddff49bcd4e1791692f00e756bddfe19b7bb44ced",
    "e7df1ca6133bfc07ae14bbe939be507e6845b4e2f830edfe2cedb6aabe838c34",
  ],
  [
    [
      [ascii("foo"), ascii("bar")],
      [ascii("bar"), ascii("baz")],
    ],
    "5f0460085011985c8062617a0850119bdbc062617210",
    "3af8c8a12f30155c6fe05cbd865dec96c127078fc1d89458e2973e95b811ef82",
    "a0714568b3f6842835a143dcf3f55f6b325b9bf47dd25a9730048903645678e8",
  ],
  [
    [["", "01020304"]],
    "4001020304",
    "033078917e53e032ec6ae060a38efb6b16dade59b3659db41824a836dc3bed4e",
    "e58fec6bdb01254777b88f0f8e6ad313645bd2f093bd2a55ef77509ebf63b80b",
  ],
  [
    [
      ["00", "01"],
      ["01", zeros(32)],
    ],
    `5f06000240012140${zeros(32)}23`,
    "daee46145cc2b5bd9cb8c567c7e992a1270e5ce1a36c56364ae77eec2a2c525b",
    "858f9a07fb8c545b4be7e3e3ef48196d8a9b4537aa9858a8b9117146397e213e",
  ],
  [
    [
      ["00", "01"],
      ["01", zeros(33)],
    ],
    "5f06000240012460f39a869f62e75cf5f0bf914688a6b289caf2049435d8e68c5c5e6d05e44913f300002147",
    "b4154f78b79f6ee49ffbed11973ea1b032387ae5076ebd9c8ab7b3b175b1febe",
    "7a76b953fc60238820d9f46e47711d153bde12dc6172760b4b8b1467ad0a0b85",
  ],
  [
    [[zeros(5), "01"]],
    "50ff28000000000001",
    "16d3f4954acc1aa638486b653d0680b98ee02234551e33e592257933fb4744f7",
    "877c68ba37b81c6acc599e2349aeca9ee83a8fb79973c036efe2fa3579f27ae7",
  ],
  [
    [[zeros(20), "01"]],
    `5020${zeros(20)}01`,
    "7f7280499279141034e9e2712e2b0cfd106c0b1e926b95c5961bbb6c6a0c29e1",
    "a2a66cae447587cf32402a4739a272425a3b1bb4269cfa780586977708391cb0",
  ],
  [
    [[zeros(48), "01"]],
    `50fffd8001${zeros(48)}01`,
    "74c63eb8a367a04da30c4ff769502eec7e2a0461d00485709093ab64dd3255a2",
    "6fd712d1b1b18a326c854053ef24e73eb6614d237386611fe41569380d4f9a54",
  ],
];

describe("trie vectors", () => {
  for (const [content, message, hash, oldHash] of vectors) {
    it(`computes the root of ${content.map(([key]) => `"${key.slice(0, 12)}"`).join(", ")}`, () => {
      const trie = new Trie();
      for (const [key, value] of content) trie.put(fromHex(key), fromHex(value));
      assert.equal(toHex(trie.rootMessage()!), message);
      assert.equal(toHex(trie.hash()), hash);
      assert.equal(toHex(trie.oldHash(false)), oldHash);
    });
  }

  it("encodes old-format messages", () => {
    const trie = new Trie();
    trie.put(utf8("foo"), utf8("bar"));
    assert.equal(toHex(trie.oldRootMessage(false)!), "020000000018666f6f626172");
  });

  it("counts embedded children and long values in childrenSize", () => {
    for (const [length, expected] of [
      [32, 35],
      [33, 71],
    ] as const) {
      const trie = new Trie();
      trie.put(fromHex("00"), fromHex("01"));
      trie.put(fromHex("01"), new Uint8Array(length));
      assert.equal(trie.childrenSize(), expected);
    }
  });

  it("stores a contract with marker, cells and code", () => {
    const account = "008a58564d4cb6d7a1ae286c0e31499bf02969ca42d203e566bcc696de08fa";
    const trie = new Trie();
    trie.put(fromHex(account), fromHex("c20164"));
    trie.put(fromHex(`${account}00`), fromHex("01"));
    trie.put(fromHex(`${account}00290decd9548b62a8d60300`), fromHex("05"));
    trie.put(fromHex(`${account}00b10e2d527612073b26ee01`), fromHex("ff".repeat(32)));
    trie.put(fromHex(`${account}80`), fromHex("6001600055".repeat(8)));
    assert.equal(
      toHex(trie.rootMessage()!),
      "5d78008a58564d4cb6d7a1ae286c0e31499bf02969ca42d203e566bcc696de08faca56bb98fa661ba2a35d3ceb11d2638de1c89f3c8522a7c1d8ca38133ab53f0426700600696884867505517b24c40cc447f4c7a5e600b73f3e4951093f1ca8a35d9ecc07000028c0c20164",
    );
    assert.equal(toHex(trie.hash()), "ff8f2e849f362c8d3651f41b2a98f9bcb0f96dbb4f04825ca792fd1c524521cd");
    const proof = trie.proof(fromHex(`${account}00`))!;
    assert.deepEqual(proof.map((message) => toHex(message)).slice(0, 1), [
      "5e06000f50ff57521bd9b2a916c551ac0600054e2662e3f3b7e42ba20963325bc80e47841c50828507dd88e20fe624b34ad4703d01",
    ]);
  });

  it("computes roots of transactions and receipts", () => {
    const receipt = fromHex(`f9010c01825208b90100${zeros(256)}c082520801`);
    assert.equal(
      toHex(orderedListRoot([receipt], "new")),
      "f98d6a85d8c70e7d098c465900328549add3b69cc63f5e34a148338dda3669a7",
    );
    const rewardReceipt = fromHex(`f901080180b90100${zeros(256)}c08001`);
    assert.equal(
      toHex(orderedListRoot([rewardReceipt], "new")),
      "66cfdb731f620cd96e2c2cb0f7d3c3a2879c29b40014aa27efbbf3cf9cd3b0f6",
    );
    assert.deepEqual(orderedListRoot([], "new"), EMPTY_TRIE_ROOT);
    assert.deepEqual(orderedListRoot([], "old"), EMPTY_TRIE_ROOT);
  });
});
