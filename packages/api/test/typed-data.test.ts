import assert from "node:assert/strict";
import { toData } from "@cambium/primitives";
import { TypedDataEncoder } from "ethers";
import { TYPED_DATA, typedDataHash } from "../src/signing/typed-data.js";

const hashOf = (data: unknown) => toData(typedDataHash(TYPED_DATA.parse(data)));

/** The example of EIP-712. */
const MAIL = {
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    Person: [
      { name: "name", type: "string" },
      { name: "wallet", type: "address" },
    ],
    Mail: [
      { name: "from", type: "Person" },
      { name: "to", type: "Person" },
      { name: "contents", type: "string" },
    ],
  },
  primaryType: "Mail",
  domain: {
    name: "Ether Mail",
    version: "1",
    chainId: 1,
    verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
  },
  message: {
    from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
    to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
    contents: "Hello, Bob!",
  },
};

const ALL = {
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "salt", type: "bytes32" },
    ],
    Leaf: [
      { name: "flag", type: "bool" },
      { name: "tag", type: "bytes4" },
    ],
    Apple: [{ name: "leaves", type: "Leaf[2][]" }],
    Tree: [
      { name: "apple", type: "Apple" },
      { name: "small", type: "int8" },
      { name: "large", type: "uint256[]" },
      { name: "raw", type: "bytes" },
      { name: "owner", type: "address" },
      { name: "matrix", type: "uint16[2][2]" },
      { name: "names", type: "string[]" },
    ],
  },
  primaryType: "Tree",
  domain: { name: "Orchard", salt: `0x${"5a".repeat(32)}` },
  message: {
    apple: {
      leaves: [
        [
          { flag: true, tag: "0x01020304" },
          { flag: false, tag: "0xffffffff" },
        ],
      ],
    },
    small: -128,
    large: [`0x${"f".repeat(64)}`, "115792089237316195423570985008687907853269984665640564039457584007913129639935", 0],
    raw: "0xdeadbeef",
    owner: `0x${"12".repeat(20)}`,
    matrix: [
      [1, 2],
      [3, 65535],
    ],
    names: ["", "Grüße"],
  },
};

describe("typed data (EIP-712)", () => {
  it("has the hash of the standard's example", () => {
    assert.equal(hashOf(MAIL), "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2");
    assert.equal(hashOf(JSON.stringify(MAIL)), hashOf(MAIL));
  });

  it("has the hash that ethers computes, for all kinds of types", () => {
    for (const data of [MAIL, ALL]) {
      const { EIP712Domain: _, ...types } = data.types;
      assert.equal(hashOf(data), TypedDataEncoder.hash(data.domain, types as never, data.message));
    }
  });

  it("is the domain alone if that is the primary type, and has an empty domain without its type", () => {
    const domain = { ...MAIL, primaryType: "EIP712Domain" };
    assert.notEqual(hashOf(domain), hashOf(MAIL));
    const { EIP712Domain: _, ...types } = MAIL.types;
    assert.equal(hashOf({ ...MAIL, types, domain: {} }), TypedDataEncoder.hash({}, types, MAIL.message));
  });

  it("hashes an absent struct as zeros, so that types may refer to themselves", () => {
    const types = { Node: [{ name: "next", type: "Node" }] };
    const data = { types, primaryType: "Node", domain: {}, message: { next: { next: null } } };
    assert.match(hashOf(data), /^0x[0-9a-f]{64}$/);
  });

  it("is refused if a value does not match its type", () => {
    const tree = (changes: object) => ({ ...ALL, message: { ...ALL.message, ...changes } });
    const values: object[] = [
      { small: 128 },
      { small: -129 },
      { small: 1.5 },
      { small: "one" },
      { large: 1 },
      { large: [-1] },
      { raw: "0xzz" },
      { owner: "0x12" },
      { owner: null },
      { matrix: [[1, 2]] },
      { matrix: [[1], [2]] },
      { names: [7] },
      { apple: { leaves: [[{ flag: "maybe", tag: "0x01020304" }, null]] } },
      { apple: { leaves: [[{ flag: true, tag: "0x0102" }, null]] } },
      { apple: 7 },
    ];
    for (const changes of values) assert.throws(() => hashOf(tree(changes)), { code: "INVALID_PARAMS" });
    const typed = (type: string) => ({ ...ALL, types: { ...ALL.types, Tree: [{ name: "small", type }] } });
    for (const type of ["uint7", "int264", "bytes0", "bytes33", "uint0", "Missing", "uint8[", "", "[]"]) {
      assert.throws(() => hashOf(typed(type)), { code: "INVALID_PARAMS" }, type);
    }
  });

  it("is refused if malformed or too large", () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`T${i}`, []]));
    const long = { Long: Array.from({ length: 1_001 }, (_, i) => ({ name: `m${i}`, type: "bool" })) };
    const malformed: unknown[] = [
      "{",
      7,
      null,
      "[".repeat(10_000),
      { ...MAIL, primaryType: "Letter" },
      { ...MAIL, primaryType: 1 },
      { ...MAIL, types: { Mail: 1 } },
      { ...MAIL, types: { Mail: [{ name: 1, type: "bool" }] } },
      { ...MAIL, types: many },
      { ...MAIL, types: long },
      { ...MAIL, domain: undefined },
      { ...MAIL, message: [] },
    ];
    for (const data of malformed)
      assert.throws(() => hashOf(data), { code: "INVALID_PARAMS" }, JSON.stringify(data)?.slice(0, 80));
  });
});
