import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { encodeRlp, fromHex, toHex } from "@cambium/primitives";
import {
  Block,
  BlockHeader,
  checkRawBody,
  decodeBlockHeader,
  EMPTY_UNCLES_HASH,
  rawTransactionsRoot,
  rewardTransaction,
  Transaction,
  transactionsRoot,
} from "../src/index.js";
import { FIRST_TRANSACTION, headerBytes, itemsOf, listOf, withV } from "./samples.js";

const { main, test } = NETWORKS;

// spec/01 §3.8, "Block-level decoding cases": main 8000000, root given, two transactions, no uncles.
const ROOT = "d26025aa896520c848bb222bf19d7f9705f7876634fd268c9a2060481c166314";
const REWARD = rewardTransaction(5).encoded;

function replaced(list: Uint8Array, index: number, item: string): Uint8Array {
  const items = itemsOf(list);
  items[index] = fromHex(item);
  return listOf(items);
}

function blockBytes(root: string, transactions: readonly Uint8Array[], uncles: readonly Uint8Array[] = []): Uint8Array {
  return listOf([headerBytes(8000000, "80", { 4: `a0${root}` }), listOf(transactions), listOf(uncles)]);
}

/** Root of these transactions, so that only the transactions can be invalid. */
function rootOf(transactions: readonly Uint8Array[]): string {
  const decoded = transactions.map((bytes) => Transaction.decode(bytes));
  return toHex(transactionsRoot(decoded, rulesAt(main, 8000000)));
}

describe("block decoding", () => {
  const accepted: readonly (readonly [string, string, Uint8Array, Uint8Array])[] = [
    ["unchanged", ROOT, FIRST_TRANSACTION, REWARD],
    ["transaction wrapped as a string", ROOT, encodeRlp(FIRST_TRANSACTION), REWARD],
    ["v = 23", ROOT, withV("23"), REWARD],
    ["nonce 00", ROOT, replaced(FIRST_TRANSACTION, 0, "00"), REWARD],
    [
      "reward gas price 80",
      "c90a81c7666d057afc1e8a72123504b735737ed515e33720fc9adc1b70549ec0",
      FIRST_TRANSACTION,
      replaced(REWARD, 1, "80"),
    ],
    [
      "reward gas limit 820000",
      "3ec71bb3adf0d3472a0bb389a54be7a67b0431155e11e75cc28b59cf18b69cf1",
      FIRST_TRANSACTION,
      replaced(REWARD, 2, "820000"),
    ],
  ];
  for (const [name, root, first, last] of accepted) {
    it(`accepts: ${name}`, () => {
      const block = Block.decode(blockBytes(root, [first, last]), main);
      assert.deepEqual(
        block.transactions.map((transaction) => transaction.isReward),
        [false, true],
      );
      assert.equal(toHex(block.transactions[0]!.encoded), toHex(FIRST_TRANSACTION));
      const again = Block.decode(block.encode(), main);
      assert.equal(toHex(again.encode()), toHex(block.encode()));
      assert.equal(again.size, block.encode().length);
    });
  }

  it("keeps the received bytes as its encoding only if they are canonical", () => {
    const canonical = blockBytes(ROOT, [FIRST_TRANSACTION, REWARD]);
    assert.equal(Block.decode(canonical, main).encode(), canonical);
    const wrapped = Block.decode(blockBytes(ROOT, [encodeRlp(FIRST_TRANSACTION), REWARD]), main);
    assert.equal(toHex(wrapped.encode()), toHex(canonical));
  });

  it("keeps the received bytes of headers that could not be read back from the canonical encoding", () => {
    const reward = rewardTransaction(7200000);
    const root = `a0${toHex(transactionsRoot([reward], rulesAt(test, 7200000)))}`;
    const header = (version: string) => headerBytes(7200000, `80 ${version} 80 H P C`, { 4: root });
    const transactions = listOf([reward.encoded]);
    for (const [own, uncle] of [
      ["03", "01"],
      ["01", "03"],
    ] as const) {
      const bytes = listOf([header(own), transactions, listOf([header(uncle)])]);
      const block = Block.decode(bytes, test);
      assert.equal(block.encode(), bytes);
      const headers = [block.header, ...block.uncles];
      const again = Block.decode(block.encode(), test);
      assert.deepEqual(
        [again.header, ...again.uncles].map(({ hash }) => toHex(hash)),
        headers.map(({ hash }) => toHex(hash)),
      );
      assert.deepEqual(headers.map(({ version }) => version).sort(), [0, 1]);
    }
  });

  it("keeps its header apart from the bytes of the body", () => {
    const bytes = blockBytes(ROOT, [FIRST_TRANSACTION, REWARD]);
    const { header, transactions } = Block.decode(bytes, main);
    assert.notEqual(header.logsBloom.buffer, bytes.buffer);
    assert(header.logsBloom.buffer.byteLength < bytes.length);
    assert.equal(transactions[0]!.data.buffer, bytes.buffer);
  });

  it("takes the root of checked bytes for that of the transactions only if the bytes are canonical", () => {
    const canonical = blockBytes(ROOT, [FIRST_TRANSACTION, REWARD]);
    const { header } = Block.decode(canonical, main);
    const known = { isBodyChecked: true };
    assert.equal(toHex(Block.decode(canonical, main, known).transactionsRoot(rulesAt(main, 8000000))), ROOT);
    // Root of the unchanged bytes, which is not that of the transactions in them.
    const transactions = [encodeRlp(FIRST_TRANSACTION), REWARD];
    const root = toHex(rawTransactionsRoot(transactions, rulesAt(main, 8000000)));
    const wrapped = blockBytes(root, transactions);
    assert.throws(() => Block.decode(wrapped, main, known), { code: "TRANSACTIONS_ROOT" });
    assert.equal(Block.decode(canonical, main, { header }).header, header);
  });

  it("checks the lists from raw bytes", () => {
    const canonical = blockBytes(ROOT, [FIRST_TRANSACTION, REWARD]);
    const header = decodeBlockHeader(canonical, main).with({ unclesHash: EMPTY_UNCLES_HASH });
    checkRawBody(canonical, header, main);
    const wrapped = blockBytes(ROOT, [encodeRlp(FIRST_TRANSACTION), REWARD]);
    assert.throws(() => checkRawBody(wrapped, header, main), { code: "TRANSACTIONS_ROOT" });
    const uncles = blockBytes(ROOT, [FIRST_TRANSACTION, REWARD], [headerBytes(7999999, "80")]);
    assert.throws(() => checkRawBody(uncles, header, main), { code: "UNCLES_HASH" });
    assert.throws(() => checkRawBody(Uint8Array.of(0xc3, 0x80, 0x80, 0xc0), header, main), { code: "BLOCK_MALFORMED" });
  });

  it("recognises only the last transaction as a reward transaction", () => {
    const root = "2e16becde935d90f8b2aa972bb5fc8df3e008a7c3837b1b53aaacbe0a8cc5157";
    const block = Block.decode(blockBytes(root, [REWARD, FIRST_TRANSACTION]), main);
    assert.deepEqual(
      block.transactions.map((transaction) => transaction.isReward),
      [false, false],
    );
    assert.equal(block.transactions[0]!.sender, undefined);
  });

  it("drops r and s of a reward transaction", () => {
    const block = Block.decode(blockBytes(ROOT, [FIRST_TRANSACTION, replaced(REWARD, 7, "8200ff")]), main);
    assert.equal(block.transactions[1]!.isReward, true);
    assert.equal(toHex(block.transactions[1]!.encoded), toHex(REWARD));
  });

  it("rejects a reward transaction with an empty gas limit", () => {
    const transactions = [FIRST_TRANSACTION, replaced(REWARD, 2, "80")];
    assert.throws(() => Block.decode(blockBytes(rootOf(transactions), transactions), main), {
      code: "TRANSACTION_FIELD",
    });
  });

  it("rejects items that are not transactions", () => {
    const r80 = replaced(FIRST_TRANSACTION, 7, "80");
    const tenItems = listOf([...itemsOf(FIRST_TRANSACTION), fromHex("80")]);
    for (const [bytes, code] of [
      [withV("825f5f"), "TRANSACTION_FIELD"],
      [r80, "TRANSACTION_FIELD"],
      [tenItems, "TRANSACTION_SIZE"],
      [fromHex("80"), "TRANSACTION_MALFORMED"],
    ] as const)
      assert.throws(() => Block.decode(blockBytes(ROOT, [bytes, REWARD]), main), { code });
  });

  it("rejects a wrong transactions root", () => {
    const wrong = ROOT.replace("d2", "d3");
    assert.throws(() => Block.decode(blockBytes(wrong, [FIRST_TRANSACTION, REWARD]), main), {
      code: "TRANSACTIONS_ROOT",
    });
  });

  it("has exactly three items, the last two lists", () => {
    const items = itemsOf(blockBytes(ROOT, [FIRST_TRANSACTION, REWARD]));
    assert.throws(() => Block.decode(listOf(items.slice(0, 2)), main), { code: "BLOCK_SIZE" });
    assert.throws(() => Block.decode(listOf([...items, fromHex("80")]), main), { code: "BLOCK_SIZE" });
    assert.throws(() => Block.decode(listOf([items[0]!, items[1]!, fromHex("80")]), main), { code: "BLOCK_MALFORMED" });
    assert.throws(() => Block.decode(listOf([items[0]!, fromHex("80"), items[2]!]), main), { code: "BLOCK_MALFORMED" });
    assert.throws(() => Block.decode(blockBytes(ROOT, [FIRST_TRANSACTION, REWARD], [fromHex("80")]), main), {
      code: "HEADER_MALFORMED",
    });
  });

  it("counts uncles in full headers and in the difficulty", () => {
    const uncles = ["80 H P C", "80"].map((extra) => headerBytes(7999999, extra));
    const block = Block.decode(blockBytes(ROOT, [FIRST_TRANSACTION, REWARD], uncles), main);
    assert.equal(block.cumulativeDifficulty, 6n);
    assert.equal(block.uncles.length, 2);
    const expected = new Block(
      block.header,
      [],
      uncles.map((bytes) => BlockHeader.decode(bytes, main)),
    );
    assert.deepEqual(block.unclesHash, expected.unclesHash);
    assert.equal(toHex(new Block(block.header, [], []).unclesHash), toHex(EMPTY_UNCLES_HASH));
    assert.equal(toHex(EMPTY_UNCLES_HASH), "1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347");
  });

  it("decodes the genesis block of the test network", () => {
    const header = `f901d6a0${"00".repeat(32)}a01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794${"33".repeat(20)}a045bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421b901${"00".repeat(257)}85000010000080834c4b40808085434d272841800080000000`;
    const bytes = fromHex(`f901db${header}c0c0`);
    const block = Block.decode(bytes, test);
    assert.equal(toHex(block.hash), "cabb7fbe88cd6d922042a32ffc08ce8b1fbb37d650b9d4e7dbfe2a7469adfa42");
    assert.equal(toHex(block.encode()), toHex(bytes));
  });
});

describe("transaction roots", () => {
  // spec/01 §3.5
  const transactions = [FIRST_TRANSACTION, REWARD].map((bytes) => Transaction.decode(bytes));
  it("are computed in both node formats", () => {
    assert.equal(toHex(transactionsRoot(transactions, rulesAt(main, 1591000))), ROOT);
    assert.equal(
      toHex(transactionsRoot(transactions, rulesAt(main, 1590999))),
      "382eabd6764d277528eeca0a87cd17790ee97d9750230b2423fce50f9ed81b78",
    );
  });

  it("are computed for an empty list", () => {
    for (const number of [1590999, 1591000]) {
      assert.equal(
        toHex(transactionsRoot([], rulesAt(main, number))),
        "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
      );
    }
  });
});
