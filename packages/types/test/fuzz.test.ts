import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import { fuzz } from "@cambium/test-utils/fuzz";
import {
  Block,
  BlockHeader,
  bloomOfLogs,
  decodeExtension,
  decodeReceipt,
  encodeReceipt,
  genesisBlock,
  rewardTransaction,
  Transaction,
  transactionsRoot,
} from "../src/index.js";
import { FIRST_TRANSACTION, headerBytes, headerT, withV } from "./samples.js";

const { main, test, local } = NETWORKS;

/** Header encodings of every format, by network. */
const headers = [
  headerBytes(8000000, "80 H P C"),
  headerBytes(700000, "83aabbcc 80 80"),
  headerBytes(7200000, "80 01 8401000200 H P C"),
  headerBytes(7700000, "80 02 80 82aabb H P C"),
  headerBytes(7700000, "80 02 80"),
  genesisBlock(local, new Uint8Array(32)).header.encode("full"),
];
const compressed = [headerT(1), headerT(2, { number: 7700000 })].map((header) => header.encode("compressed"));

/** Computes everything that depends on a decoded header. */
function useHeader(header: BlockHeader): void {
  header.encode("compressed");
  assert.equal(header.hash.length, 32);
  header.fields();
  if (header.hasExtension) header.encode("full");
  assert.equal(header.hashForMergedMining.length, 32);
}

describe("decoders under random and mutated bytes", () => {
  it("decodes headers", () => {
    const networks = [main, test, local];
    let turn = 0;
    fuzz(headers, (data) => useHeader(BlockHeader.decode(data, networks[turn++ % 3]!)));
  });

  it("decodes fields of a million bytes without delay", () => {
    const long = `ba0f4240${"7f".repeat(1_000_000)}`;
    for (const index of [6, 7, 9, 12, 13, 14]) {
      useHeader(BlockHeader.decode(headerBytes(700000, "", { [index]: long }), main));
    }
  });

  it("decodes compressed headers", () =>
    fuzz(compressed, (data) => useHeader(BlockHeader.decode(data, test, "compressed"))));

  it("decodes extensions", () => {
    const samples = [headerT(1), headerT(2)].map((header) => header.encodeExtension());
    fuzz(samples, (data) => decodeExtension(data));
  });

  it("decodes transactions whose encodings decode to the same", () => {
    fuzz([FIRST_TRANSACTION, withV("60"), rewardTransaction(77).encoded], (data) => {
      const transaction = Transaction.decode(data, data.length % 2 === 0);
      const again = Transaction.decode(transaction.encoded);
      // Foreign v bytes below 35 change with every encoding (`spec/01 §3.2`).
      if (transaction.chainId >= 0) assert.equal(toHex(again.hash), toHex(transaction.hash));
      assert.equal(transaction.signingHash.length, 32);
      transaction.acceptSignature(30);
    });
  });

  it("decodes blocks", () => {
    const body = [Transaction.decode(FIRST_TRANSACTION), rewardTransaction(8000000)];
    const root = transactionsRoot(body, rulesAt(main, 8000000));
    const header = BlockHeader.decode(headerBytes(8000000, "80 H P C"), main).with({ transactionsRoot: root });
    const samples = [new Block(header, body, []), new Block(header, body, [header])].map((block) => block.encode());
    fuzz(samples, (data) => {
      const block = Block.decode(data, main);
      assert.equal(toHex(Block.decode(block.encode(), main).encode()), toHex(block.encode()));
    });
  });

  it("decodes receipts that encode to the same bytes", () => {
    const logs = [{ address: new Uint8Array(20), topics: [new Uint8Array(32)], data: Uint8Array.of(1, 2, 3) }];
    const samples = [[], logs].map((some) =>
      encodeReceipt({ status: 1, gasUsed: 21000, cumulativeGas: 42000, logs: some, logsBloom: bloomOfLogs(some) }),
    );
    fuzz(samples, (data) => assert.equal(toHex(encodeReceipt(decodeReceipt(data))), toHex(data)));
  });
});
