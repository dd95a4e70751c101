import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import {
  bigintToBytes,
  encodeRlp,
  fromHex,
  publicKeyToAddress,
  SECP256K1_N,
  secp256k1,
  toHex,
} from "@cambium/primitives";
import {
  buildTransaction,
  gasValue,
  recoverSender,
  rewardTransaction,
  signTransaction,
  Transaction,
  type TypesError,
  transactionsRoot,
} from "../src/index.js";
import { FIRST_TRANSACTION, itemsOf, listOf, withV } from "./samples.js";

const hashOf = (bytes: Uint8Array) => toHex(Transaction.decode(bytes).hash);

describe("transactions", () => {
  // spec/01 §3.8
  const vectors = [
    {
      encoded: toHex(FIRST_TRANSACTION),
      hash: "5d3466b457f3480945474de8e2df3c01ceaa55a12d0347d2e17a3f3444651f86",
      signingHash: "328ea6d24659dec48adea1aced9a136e5ebdf40258db30d1b1d97ed2b74be34e",
      sender: "cd2a3d9f938e13cd947ec05abc7fe734df8dd826",
    },
    {
      encoded: "eb8085e8d4a510008227109413978aee95f38490e9769c39b2773ed763d9cd5f872386f26fc1000080808080",
      hash: "b747c9318ba950fb2a002683fe9d8874eb17cad6e98831f2ae08a9e5c1753710",
      signingHash: "328ea6d24659dec48adea1aced9a136e5ebdf40258db30d1b1d97ed2b74be34e",
      sender: undefined,
    },
    {
      encoded:
        "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83",
      hash: "33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788",
      signingHash: "daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53",
      sender: "9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f",
    },
  ];
  for (const { encoded, hash, signingHash, sender } of vectors) {
    it(`hashes and sender of ${hash.slice(0, 8)}`, () => {
      const transaction = Transaction.decode(fromHex(encoded));
      assert.equal(toHex(transaction.encoded), encoded);
      assert.equal(toHex(transaction.hash), hash);
      assert.equal(toHex(transaction.signingHash), signingHash);
      assert.equal(transaction.sender && toHex(transaction.sender), sender);
      assert.equal(transaction.size, encoded.length / 2);
    });
  }

  it("hashes by v", () => {
    assert.equal(hashOf(withV("5f")), "737d953540dae3b8283f1c6885f5d6ea49e31d0dbbcd233deff24fb4be051cd9");
    assert.equal(hashOf(withV("60")), "6d6ac96416bf341b45ba5ac61eb95a6cffd91919b05a413a6780cba37c97a238");
    assert.equal(hashOf(withV("23")), "5d3466b457f3480945474de8e2df3c01ceaa55a12d0347d2e17a3f3444651f86");
  });

  // spec/01 §3.2: v, chain id, recovery, re-encoded v, accepted on chain 30.
  const vTable = [
    ["1b", 0, 27, 0x1b, true],
    ["1c", 0, 28, 0x1c, true],
    ["22", 0, 28, 0x1c, true],
    ["23", 0, 27, 0x1b, true],
    ["24", 0, 28, 0x1c, true],
    ["5f", 30, 27, 0x5f, true],
    ["60", 30, 28, 0x60, true],
    ["61", 31, 27, 0x61, false],
    ["62", 31, 28, 0x62, false],
    ["65", 33, 27, 0x65, false],
    ["66", 33, 28, 0x66, false],
    ["25", 1, 27, 0x25, false],
    ["26", 1, 28, 0x26, false],
    ["00", -17, 28, 0x02, false],
    ["1d", -3, 27, 0x1d, false],
    ["21", -1, 27, 0x21, false],
    ["7f", 46, 27, 0x7f, false],
  ] as const;
  for (const [v, chainId, recovery, encodedV, accepted] of vTable) {
    it(`v ${v}`, () => {
      const transaction = Transaction.decode(withV(v.length === 2 && Number.parseInt(v, 16) >= 0x80 ? `81${v}` : v));
      assert.equal(transaction.chainId, chainId);
      assert.equal(transaction.signature?.recovery, recovery - 27);
      assert.equal(transaction.v, encodedV);
      assert.equal(transaction.acceptSignature(30), accepted);
      if (chainId === 31 || chainId === 33) assert.equal(transaction.acceptSignature(chainId), true);
      // This v changes with every encoding. It is never accepted, and the behaviour matches the deployed client's.
      if (v !== "00") assert.deepEqual(Transaction.decode(transaction.encoded).hash, transaction.hash);
    });
  }

  it("decodes a v of 80 and above", () => {
    const transaction = Transaction.decode(withV("81ff"));
    assert.deepEqual([transaction.chainId, transaction.signature?.recovery, transaction.v], [110, 0, 0xff]);
  });

  it("recovers the point at infinity to its fixed address", () => {
    const transaction = Transaction.decode(
      fromHex(
        "f85f80018252089413978aee95f38490e9769c39b2773ed763d9cd5f01805fa079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798a04a18a32317db068db497f15dcd37bea91f96405f43d27880269328294f660e27",
      ),
    );
    assert.equal(toHex(transaction.sender!), "dcc703c0e500b653ca82273b7bfad8045d85a470");
    assert.equal(transaction.acceptSignature(30), true);
  });

  it("accepts only s strictly below half the order", () => {
    const half = SECP256K1_N / 2n;
    const accepted = (r: bigint, s: bigint) => {
      const items = itemsOf(FIRST_TRANSACTION);
      items[7] = encodeRlp(r === 0n ? Uint8Array.of(0) : bigintToBytes(r));
      items[8] = encodeRlp(s === 0n ? Uint8Array.of(0) : bigintToBytes(s));
      return Transaction.decode(listOf(items)).acceptSignature(30);
    };
    assert.equal(accepted(1n, half - 1n), true);
    assert.equal(accepted(1n, half), false);
    assert.equal(accepted(SECP256K1_N - 1n, 1n), true);
    assert.equal(accepted(SECP256K1_N, 1n), false);
    assert.equal(accepted(0n, 1n), false);
    assert.equal(accepted(1n, 0n), false);
  });

  const replaced = (index: number, item: string, list = FIRST_TRANSACTION) => {
    const items = itemsOf(list);
    items[index] = fromHex(item);
    return listOf(items);
  };

  it("normalises zero nonces and leading zeros of price, value, r and s", () => {
    const hash = hashOf(FIRST_TRANSACTION);
    const items = itemsOf(FIRST_TRANSACTION);
    const padded = (index: number) => `a1${"00"}${toHex(items[index]!).slice(2)}`;
    assert.equal(hashOf(replaced(0, "00")), hash);
    assert.equal(hashOf(replaced(1, "8600e8d4a51000")), hash);
    assert.equal(hashOf(replaced(4, "8900002386f26fc10000")), hash);
    assert.equal(hashOf(replaced(7, padded(7))), hash);
    assert.equal(hashOf(replaced(8, padded(8))), hash);
  });

  it("keeps raw nonces and gas limits, and distinguishes null and zero prices", () => {
    const encodedItem = (index: number, item: string) =>
      toHex(itemsOf(Transaction.decode(replaced(index, item)).encoded)[index]!);
    assert.equal(encodedItem(0, "820001"), "820001");
    assert.equal(encodedItem(2, "83002710"), "83002710");
    assert.equal(encodedItem(1, "80"), "80");
    assert.equal(encodedItem(1, "00"), "00");
    assert.equal(encodedItem(1, "820000"), "00");
    assert.equal(encodedItem(4, "00"), "80");
  });

  const errors: readonly (readonly [string, Uint8Array, TypesError["code"]])[] = [
    ["v of two bytes", withV("825f5f"), "TRANSACTION_FIELD"],
    ["r empty", replaced(7, "80"), "TRANSACTION_FIELD"],
    ["s empty", replaced(8, "80"), "TRANSACTION_FIELD"],
    ["to of 19 bytes", replaced(3, `93${"11".repeat(19)}`), "TRANSACTION_FIELD"],
    ["10 items", listOf([...itemsOf(FIRST_TRANSACTION), fromHex("80")]), "TRANSACTION_SIZE"],
    ["8 items", listOf(itemsOf(FIRST_TRANSACTION).slice(1)), "TRANSACTION_SIZE"],
    ["trailing byte", fromHex(`${toHex(FIRST_TRANSACTION)}00`), "TRANSACTION_MALFORMED"],
    ["empty", new Uint8Array(0), "TRANSACTION_MALFORMED"],
    ["a string", fromHex("80"), "TRANSACTION_MALFORMED"],
  ];
  for (const [name, bytes, code] of errors) {
    it(`rejects: ${name}`, () => assert.throws(() => Transaction.decode(bytes), { code }));
  }

  // spec/01 §3.3, "Field checks"
  const faults: readonly (readonly [string, number, string])[] = [
    ["nonce", 0, `a1${"01".repeat(33)}`],
    ["gasLimit", 2, "80"],
    ["gasLimit", 2, `a1${"00".repeat(33)}`],
    ["gasPrice", 1, `a0${"80".padEnd(64, "0")}`],
    ["value", 4, `a0${"80".padEnd(64, "0")}`],
    ["r", 7, `a1${"01".repeat(33)}`],
    ["s", 8, `a1${"01".repeat(33)}`],
    ["sender", 7, "00"],
  ];
  for (const [field, index, item] of faults) {
    it(`field check: ${field} ${item.slice(0, 6)}`, () => {
      const transaction = Transaction.decode(replaced(index, item));
      assert.throws(
        () => transaction.verifyFields(),
        (error: TypesError) => (error.details as { field?: string }).field === field,
      );
    });
  }

  it("passes the field checks at their limits", () => {
    for (const [index, item] of [
      [0, `a0${"01".repeat(32)}`],
      [2, `a0${"00".repeat(32)}`],
      [1, `a0${"7f".padEnd(64, "f")}`],
      [1, "80"],
    ] as const)
      Transaction.decode(replaced(index, item)).verifyFields();
  });

  it("accepts a sender recovered elsewhere", () => {
    const transaction = Transaction.decode(FIRST_TRANSACTION);
    assert.equal(transaction.hasSender, false);
    const sender = recoverSender(transaction.recoveryInput()!);
    transaction.setSender(sender);
    assert.equal(transaction.hasSender, true);
    assert.equal(transaction.sender, sender);
    const broken = Transaction.decode(replaced(7, "00"));
    broken.setSender(recoverSender(broken.recoveryInput()!));
    assert.equal(broken.sender, undefined);
  });

  it("signs what it builds", () => {
    const key = fromHex("c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4");
    const address = toHex(publicKeyToAddress(secp256k1.publicKey(key)));
    for (const chainId of [0, 30, 31, 33]) {
      const request = {
        nonce: 7n,
        gasPrice: 60_000_000n,
        gasLimit: 21_000n,
        to: new Uint8Array(20),
        value: 1n,
        chainId,
      };
      const signed = Transaction.decode(signTransaction(request, key).encoded);
      assert.equal(toHex(signed.sender!), address);
      assert.equal(signed.chainId, chainId);
      assert.equal(signed.acceptSignature(30), chainId === 0 || chainId === 30);
      assert.deepEqual(signed.signingHash, buildTransaction(request).signingHash);
      signed.verifyFields();
    }
  });

  it("computes the address of a created contract", () => {
    const creation = buildTransaction({ nonce: 0n, gasPrice: 1n, gasLimit: 1n });
    assert.equal(creation.isCreation, true);
    creation.setSender(fromHex("6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0"));
    assert.equal(toHex(creation.createdAddress!), "cd234a471b72ba2f1ccf0a70fcaba648a5eecd8d");
  });
});

describe("reward transactions", () => {
  // spec/01 §3.4, spec/05 §2.1
  const vectors: readonly (readonly [number, string, string])[] = [
    [1, "80", "4aa0649fdc1a4b0e07b64c26e43138400c84d6a127d0242027226b7ade17a53e"],
    [2, "01", "2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd"],
    [3, "02", "694c5110568eeddab989eb9601cca00ab94dfccf3597f72e1627ca987d05691b"],
    [5, "04", "e05864819bc0467661ee0c5847ff3a95fd1fca41b1282fd8ccec17202e4f9b4d"],
    [10, "09", "0ffaf4df2ce94215867fec28ede1e567bf14ca23015ed940e7120297c058e9dd"],
    [129, "8180", "d98f663f07054d11ece852f8fff85ec507953bb2b33d9b62385fc8a54035fa05"],
    [257, "820100", "fa8fd66cd06245b287e7e132e8a56f5ff62e4e5fe3cf3e82055b2dd36e4bddaa"],
    [3397, "820d44", "c203e69dcc921cb33f90a72a61f3bb3947deb2dda099b8aa515f3d8e239f188b"],
    [4480892, "83445f7b", "5561efc4a9487ebe838154325ea6e84fcbc392d195362a550ac20a3015e86878"],
    [7338024, "836ff827", "4044e0302086b24eb9f1814e9af320e68799390a9b10511a21edd09fb2333110"],
    [8480893, "8381687c", "45a17cc1b22af9701923b75e9e88a61051a7557aa4c5c19293b69cba7acb8c2d"],
  ];
  for (const [number, nonce, hash] of vectors) {
    it(`block ${number}`, () => {
      const transaction = rewardTransaction(number);
      const rest = "00009400000000000000000000000000000000010000088080808080";
      const length = (nonce.length + rest.length) / 2;
      assert.equal(toHex(transaction.encoded), `${(0xc0 + length).toString(16)}${nonce}${rest}`);
      assert.equal(toHex(transaction.hash), hash);
      assert.equal(toHex(transaction.sender!), "00");
      assert.equal(transaction.acceptSignature(30), true);
      assert.equal(Transaction.decode(transaction.encoded, true).isReward, true);
      assert.equal(Transaction.decode(transaction.encoded).isReward, false);
    });
  }

  it("matches the only transaction of main block 4480892", () => {
    const root = transactionsRoot([rewardTransaction(4480892)], rulesAt(NETWORKS.main, 4480892));
    assert.equal(toHex(root), "98f8e3785cbf750a2210d6123e9b92e54e181ce05013286a174d95bb2075c479");
  });
});

describe("gas values", () => {
  // spec/02 §10, Q6
  it("depend on the length first", () => {
    assert.equal(gasValue(fromHex("")), 0n);
    assert.equal(gasValue(fromHex("0000000000067c28")), 0x67c28n);
    assert.equal(gasValue(fromHex("7fffffffffffffff")), 2n ** 63n - 1n);
    assert.equal(gasValue(fromHex("000000000000000001")), 2n ** 63n - 1n);
    assert.throws(() => gasValue(fromHex("8000000000000000")), { code: "GAS_VALUE" });
  });
});
