import assert from "node:assert/strict";
import { main } from "@cambium/config";
import { contractAddress, toData, toQuantity } from "@cambium/primitives";
import { CONTRACT, FakeChain, makeLog, RICH, TOPIC_A, TOPIC_B } from "@cambium/test-utils/api/fake-chain";
import { METHODS } from "../src/index.js";
import { apiOver, ask, CLIENT_VERSION } from "./support/service.js";

const UNKNOWN = `0x${"00".repeat(31)}ff`;

describe("methods", () => {
  const chain = new FakeChain();
  const uncle = chain.addSide().header;
  const block = chain.extend(
    [[makeLog(CONTRACT, [TOPIC_A])], [makeLog(RICH, []), makeLog(CONTRACT, [TOPIC_B, TOPIC_A])], []],
    [uncle],
  );
  const head = chain.extend();
  const side = chain.addSide([makeLog(CONTRACT)]);
  const service = apiOver(chain, { compatibility: "specification" });
  const call = (method: string, ...params: unknown[]) => ask(service, method, ...params);
  const hashOf = (index: number) => toData(block.transactions[index]!.hash);

  it("returns information about the node", async () => {
    assert.equal(await call("web3_clientVersion"), CLIENT_VERSION);
    assert.equal(await call("net_version"), "33");
    assert.equal(await call("eth_chainId"), "0x21");
    assert.equal(await call("eth_protocolVersion"), "0x3e");
    assert.equal(await call("chain_protocolVersion"), "0x3e");
    assert.equal(await call("eth_blockNumber"), "0x2");
    assert.equal(await call("eth_syncing"), false);
    assert.deepEqual(await call("eth_accounts"), []);
    const modules = ["web3", "net", "rpc", "eth", "chain", "txpool", "personal", "debug", "trace", "ots", "erigon"];
    assert.deepEqual(await call("rpc_modules"), Object.fromEntries(modules.map((name) => [name, "1.0"])));
    assert.equal(
      await call("web3_sha3", "0x696e7465726e6574"),
      "0x2949b355406e040cb594c48726db3cf34bd8f963605e2c39a6b0b862e46825a5",
    );
  });

  it("reads accounts at a given block", async () => {
    const rich = toData(RICH);
    assert.equal(await call("eth_getBalance", rich), toQuantity(10n ** 18n));
    assert.equal(await call("eth_getBalance", UNKNOWN.slice(0, 42), "latest"), "0x0");
    assert.equal(await call("eth_getCode", toData(CONTRACT), "latest"), "0x6000");
    assert.equal(await call("eth_getCode", rich), "0x");
    const word = `0x${"0".repeat(60)}162e`;
    assert.equal(await call("eth_getStorageAt", toData(CONTRACT), "0x1", "latest"), word);
    assert.equal(await call("eth_getStorageAt", toData(CONTRACT), "1"), word);
    assert.equal(await call("eth_getStorageAt", toData(CONTRACT), "0x9"), `0x${"00".repeat(32)}`);
    await assert.rejects(call("eth_getStorageAt", toData(CONTRACT), "0x2"), { code: -32000 });
    const cells = { [toData(CONTRACT)]: ["0x1", "0x9"], [rich]: ["0x1"] };
    assert.deepEqual(await call("eth_getStorageValues", cells, "latest"), {
      [toData(CONTRACT)]: [word, `0x${"00".repeat(32)}`],
      [rich]: [await call("eth_getStorageAt", rich, "0x1")],
    });
    const nonceAt = (at: { hash: Uint8Array }) => toQuantity(at.hash[0]!);
    assert.equal(await call("eth_getTransactionCount", rich), nonceAt(head));
    assert.equal(await call("eth_getTransactionCount", rich, null), nonceAt(head));
    assert.equal(await call("eth_getTransactionCount", rich, "earliest"), nonceAt(chain.blocks[0]!));
    assert.equal(await call("eth_getTransactionCount", rich, "0x1"), nonceAt(block));
    assert.equal(await call("eth_getTransactionCount", rich, { blockNumber: "0x1" }), nonceAt(block));
  });

  it("refuses malformed requests for cells", async () => {
    const address = toData(CONTRACT);
    const many = Array.from({ length: 1025 }, (_, i) => toQuantity(i));
    for (const [requests, message] of [
      [{}, "empty request"],
      [{ [address]: [] }, "empty request"],
      [{ [address]: many }, "too many slots (max 1024)"],
      [{ [address]: "0x1" }, "Invalid storage request: the cells of an account are a list."],
      [{ "0x12": ["0x1"] }, "Invalid address: null, empty or invalid hex value."],
      [[], "Invalid input"],
    ]) {
      await assert.rejects(call("eth_getStorageValues", requests), { code: -32602, message });
    }
    await assert.rejects(call("eth_getStorageValues", { [address]: ["0x1"] }, "0x77"), { code: -32600 });
  });

  it("reads the state of a side block by its hash, unless it must be canonical", async () => {
    const blockHash = toData(side.hash);
    const count = (selector: unknown) => call("eth_getTransactionCount", toData(RICH), selector);
    assert.equal(await count(blockHash), toQuantity(side.hash[0]!));
    assert.equal(await count({ blockHash }), toQuantity(side.hash[0]!));
    await assert.rejects(count({ blockHash, requireCanonical: true }), {
      code: -32600,
      message: `Block with hash ${blockHash} is not canonical and it is required`,
    });
    await assert.rejects(count(UNKNOWN), { code: -32600, message: `Block with hash ${UNKNOWN} not found` });
    await assert.rejects(count("0x3"), { code: -32600, message: "Block 0x3 not found" });
    await assert.rejects(count({ blockNumber: "77" }), { code: -32600, message: "Block 77 not found" });
  });

  it("returns a block with transaction hashes", async () => {
    const object = await call("eth_getBlockByNumber", "0x1");
    assert.deepEqual(object, await call("eth_getBlockByHash", toData(block.hash), false));
    assert.deepEqual(object, {
      number: "0x1",
      hash: toData(block.hash),
      parentHash: toData(block.header.parentHash),
      mixHash: `0x${"00".repeat(32)}`,
      nonce: "0x0000000000000000",
      sha3Uncles: `0x${"1d".repeat(32)}`,
      logsBloom: toData(block.header.logsBloom),
      transactionsRoot: toData(block.header.transactionsRoot),
      stateRoot: toData(block.header.stateRoot),
      receiptsRoot: toData(block.header.receiptsRoot),
      miner: `0x${"99".repeat(20)}`,
      difficulty: "0xa",
      totalDifficulty: "0x14",
      cumulativeDifficulty: "0x14",
      extraData: "0x",
      size: toQuantity(block.encode().length),
      gasLimit: "0x67c280",
      gasUsed: "0xa410",
      timestamp: toQuantity(1_700_000_001),
      transactions: block.transactions.map((transaction) => toData(transaction.hash)),
      uncles: [toData(uncle.hash)],
      minimumGasPrice: "0x387ee40",
      parentChainMergedMiningHeader: `0x${"03".repeat(80)}`,
      parentChainMergedMiningCoinbaseTransaction: `0x${"05".repeat(100)}`,
      parentChainMergedMiningMerkleProof: `0x${"04".repeat(64)}`,
      hashForMergedMining: toData(block.header.hashForMergedMining),
      paidFees: "0x7",
      pteEdges: [1],
      baseEvent: null,
    });
    assert(!("baseFeePerGas" in object));
  });

  it("returns genesis, side blocks, and null for unknown blocks", async () => {
    const genesis = await call("eth_getBlockByNumber", "earliest", true);
    assert.equal(genesis.number, "0x0");
    assert.equal(genesis.parentChainMergedMiningHeader, "0x");
    assert.equal(genesis.pteEdges, null);
    assert.equal((await call("eth_getBlockByHash", toData(side.hash))).hash, toData(side.hash));
    assert.equal((await call("eth_getBlockByNumber", toData(side.hash))).hash, toData(side.hash));
    assert.equal((await call("eth_getBlockByNumber", "latest")).hash, toData(head.hash));
    assert.equal(await call("eth_getBlockByNumber", "0x174876e800", false), null);
    assert.equal(await call("eth_getBlockByHash", UNKNOWN, true), null);
    await assert.rejects(call("eth_getBlockByNumber", "pending", false), { code: -32201 });
  });

  it("returns full transactions, the reward transaction with zeros as signature", async () => {
    const { transactions } = await call("eth_getBlockByNumber", "1", true);
    const [first, creation, legacy, reward] = transactions;
    const sender = toData(block.transactions[0]!.sender!);
    assert.deepEqual(first, {
      hash: hashOf(0),
      nonce: "0x10",
      blockHash: toData(block.hash),
      blockNumber: "0x1",
      blockTimestamp: toQuantity(1_700_000_001),
      transactionIndex: "0x0",
      from: sender,
      to: toData(CONTRACT),
      gas: "0x186a0",
      gasPrice: "0x3938700",
      value: "0x5",
      input: "0x",
      v: toQuantity(block.transactions[0]!.v!),
      r: toQuantity(block.transactions[0]!.r),
      s: toQuantity(block.transactions[0]!.s),
      type: "0x0",
    });
    assert(["0x65", "0x66"].includes(first.v) && ["0x1b", "0x1c"].includes(legacy.v));
    assert.equal(creation.to, null);
    const { from, to, gas, gasPrice, value, v, r, s, nonce } = reward;
    assert.deepEqual(
      { from, to, gas, gasPrice, value, v, r, s, nonce },
      {
        from: `0x${"00".repeat(20)}`,
        to: "0x0000000000000000000000000000000001000008",
        gas: "0x0",
        gasPrice: "0x0",
        value: "0x0",
        v: "0x0",
        r: "0x0",
        s: "0x0",
        nonce: "0x0",
      },
    );
  });

  it("finds transactions by hash and by position", async () => {
    const first = await call("eth_getTransactionByHash", hashOf(0));
    assert.deepEqual(first, await call("eth_getTransactionByBlockHashAndIndex", toData(block.hash), "0x0"));
    assert.deepEqual(first, await call("eth_getTransactionByBlockNumberAndIndex", "0x1", "0x0"));
    assert.equal(await call("eth_getTransactionByHash", UNKNOWN), null);
    assert.equal(await call("eth_getTransactionByBlockHashAndIndex", toData(block.hash), "0x4"), null);
    assert.equal(await call("eth_getTransactionByBlockHashAndIndex", UNKNOWN, "0x0"), null);
    assert.equal(await call("eth_getTransactionByBlockNumberAndIndex", "0x9", "0x0"), null);
    const onSide = await call("eth_getTransactionByBlockHashAndIndex", toData(side.hash), "0x0");
    assert.equal(onSide.blockHash, toData(side.hash));
  });

  it("counts transactions and uncles", async () => {
    const blockHash = toData(block.hash);
    assert.equal(await call("eth_getBlockTransactionCountByHash", blockHash), "0x4");
    assert.equal(await call("eth_getBlockTransactionCountByNumber", "0x1"), "0x4");
    assert.equal(await call("eth_getBlockTransactionCountByNumber", "pending"), "0x0");
    assert.equal(await call("eth_getUncleCountByBlockHash", blockHash), "0x1");
    assert.equal(await call("eth_getUncleCountByBlockNumber", "latest"), "0x0");
    for (const kind of ["BlockTransactionCount", "UncleCount"]) {
      const [byHash, byNumber] = kind === "UncleCount" ? ["ByBlockHash", "ByBlockNumber"] : ["ByHash", "ByNumber"];
      assert.equal(await call(`eth_get${kind}${byHash}`, UNKNOWN), null);
      assert.equal(await call(`eth_get${kind}${byNumber}`, "0x99"), null);
    }
    await assert.rejects(call("eth_getUncleCountByBlockNumber", "pending"), { code: -32201 });
  });

  it("returns uncles as block objects without transactions", async () => {
    const object = await call("eth_getUncleByBlockHashAndIndex", toData(block.hash), "0x0");
    assert.deepEqual(object, await call("eth_getUncleByBlockNumberAndIndex", "0x1", "0x0"));
    assert.equal(object.hash, toData(uncle.hash));
    assert.deepEqual(object.transactions, []);
    assert.deepEqual(object.uncles, []);
    assert.deepEqual(Object.keys(object).sort(), Object.keys(await call("eth_getBlockByNumber", "0x1")).sort());
    assert.equal(await call("eth_getUncleByBlockNumberAndIndex", "0x1", "0x1"), null);
    assert.equal(await call("eth_getUncleByBlockHashAndIndex", UNKNOWN, "0x0"), null);
  });

  it("returns receipts: log indexes count over the block, failed creations have an address", async () => {
    const receipt = await call("eth_getTransactionReceipt", hashOf(1));
    const { sender, nonce } = block.transactions[1]!;
    const blockTimestamp = toQuantity(1_700_000_001);
    const position = {
      blockNumber: "0x1",
      blockHash: toData(block.hash),
      transactionHash: hashOf(1),
      transactionIndex: "0x1",
    };
    assert.deepEqual(
      { ...receipt, logsBloom: receipt.logsBloom.length },
      {
        ...position,
        cumulativeGasUsed: "0xa410",
        gasUsed: "0x5209",
        contractAddress: toData(contractAddress(sender!, nonce)),
        logs: [
          {
            logIndex: "0x1",
            ...position,
            blockTimestamp,
            address: toData(RICH),
            data: "0x01",
            topics: [],
            removed: false,
          },
          {
            logIndex: "0x2",
            ...position,
            blockTimestamp,
            address: toData(CONTRACT),
            data: "0x01",
            topics: [toData(TOPIC_B), toData(TOPIC_A)],
            removed: false,
          },
        ],
        from: toData(sender!),
        to: null,
        status: "0x0",
        logsBloom: 514,
        type: "0x0",
        effectiveGasPrice: "0x3938700",
      },
    );
    const reward = await call("eth_getTransactionReceipt", hashOf(3));
    assert.equal(reward.contractAddress, null);
    assert.equal(reward.from, `0x${"00".repeat(20)}`);
    assert.equal(await call("eth_getTransactionReceipt", UNKNOWN), null);
    assert.equal(await call("eth_getTransactionReceipt", toData(side.transactions[0]!.hash).replace(/.$/, "f")), null);
  });

  it("shows nothing of reward transactions if configured", async () => {
    const skipping = apiOver(chain, { skipRemasc: true });
    const shown = (method: string, ...params: unknown[]) => ask(skipping, method, ...params);
    const [hash, reward] = [toData(block.hash), hashOf(3)];
    assert.equal((await shown("eth_getBlockByNumber", "0x1", true)).transactions.length, 3);
    assert.equal(await shown("eth_getBlockTransactionCountByNumber", "0x1"), "0x3");
    assert.equal(await shown("eth_getBlockTransactionCountByHash", hash), "0x3");
    assert.equal((await shown("eth_getBlockReceipts", "0x1")).length, 3);
    assert.equal((await shown("eth_getLogs", { blockHash: hash })).length, 3);
    for (const [method, ...params] of [
      ["eth_getTransactionByHash", reward],
      ["eth_getTransactionReceipt", reward],
      ["eth_getTransactionByBlockHashAndIndex", hash, "0x3"],
      ["eth_getTransactionByBlockNumberAndIndex", "0x1", "0x3"],
      ["trace_transaction", reward],
    ] as const) {
      assert.equal(await shown(method, ...params), null, method);
    }
    const empty = await shown("eth_getBlockByNumber", "0x2");
    assert.deepEqual(empty.transactions, []);
    assert.equal(empty.transactionsRoot, "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  });

  it("returns the signature of a reward transaction as null if configured", async () => {
    const nulls = apiOver(chain, { zeroSignatureIfRemasc: false });
    const reward = await ask(nulls, "eth_getTransactionByHash", hashOf(3));
    assert.deepEqual([reward.v, reward.r, reward.s], [null, null, null]);
  });

  it("has the deployed ecosystem's names too: of methods, and on public networks of blocks", async () => {
    assert.equal(await call("rsk_protocolVersion"), "0x3e");
    const publicChain = new FakeChain(main);
    publicChain.extend();
    for (const both of [apiOver(chain, { compatibility: "deployed" }), apiOver(publicChain)]) {
      const object = await ask(both, "eth_getBlockByNumber", "0x1");
      assert.equal(object.bitcoinMergedMiningHeader, object.parentChainMergedMiningHeader);
      assert.deepEqual(object.rskPteEdges, object.pteEdges);
    }
    for (const without of [apiOver(chain), apiOver(publicChain, { aliases: false })]) {
      assert(!("bitcoinMergedMiningHeader" in (await ask(without, "eth_getBlockByNumber", "0x1"))));
    }
    await assert.rejects(ask(apiOver(chain, { aliases: false }), "rsk_protocolVersion"), { code: -32601 });
  });

  it("describes every method once, with its module", () => {
    const names = METHODS.map((method) => method.name);
    assert.equal(new Set(names).size, names.length);
    for (const method of METHODS) {
      assert(/^(\w+?)[_.]/.exec(method.name)?.[1] === method.module && method.summary.length > 0, method.name);
      const firstOptional = method.params.findIndex((param) => !param.required);
      assert(firstOptional < 0 || method.params.slice(firstOptional).every((param) => !param.required), method.name);
    }
  });
});
