import { toData, toQuantity } from "@cambium/primitives";
import { fakeAdmin, fakeNetwork, fakeReadiness, PEER } from "@cambium/test-utils/api/fake-admin";
import { FakeScoring } from "@cambium/test-utils/api/fake-scoring";
import { LOGGER, REWARDED, RealChain, SENDER } from "@cambium/test-utils/api/real-chain";
import { apiOver, type Service } from "./service.js";

/** The node that the documented examples are recorded from, and the objects they refer to. */
export interface ExampleService {
  service: Service;
  requests: readonly (readonly [method: string, ...params: unknown[]])[];
}

/** A local network with a contract that logs, created in block 1 and called in block 2. The blocks never change. */
export async function exampleService(): Promise<ExampleService> {
  const real = await RealChain.open();
  const logger = real.deploy(LOGGER);
  await real.mine();
  const transaction = real.send({ to: logger });
  const block = await real.mine();
  const service = apiOver(
    { reader: () => real.chain },
    {},
    { scoring: new FakeScoring(), admin: fakeAdmin(), network: fakeNetwork(), readiness: fakeReadiness },
  );
  const [blockHash, hash, contract, sender] = [block.hash, transaction.hash, logger, SENDER].map(toData);
  return {
    service,
    requests: [
      ["web3_sha3", "0x68656c6c6f20776f726c64"],
      ["net_version"],
      ["net_readiness"],
      ["eth_chainId"],
      ["eth_protocolVersion"],
      ["chain_protocolVersion"],
      ["eth_syncing"],
      ["eth_accounts"],
      ["eth_blockNumber"],
      ["eth_getBalance", toData(REWARDED), "latest"],
      ["eth_getBalance", sender, { blockHash }],
      ["eth_getTransactionCount", sender, "0x1"],
      ["eth_getStorageAt", contract, "0x0", "latest"],
      ["eth_getStorageValues", { [contract!]: ["0x0", "0x1"] }, "latest"],
      ["eth_fillTransaction", { from: sender, to: contract, value: "0x1" }],
      ["eth_getCode", contract, "latest"],
      ["eth_getBlockByNumber", "0x2", false],
      ["eth_getBlockByNumber", "0x9", false],
      ["eth_getBlockByHash", blockHash, true],
      ["eth_getHeaderByNumber", "0x2"],
      ["eth_getHeaderByHash", blockHash],
      ["eth_getBlockTransactionCountByNumber", "0x2"],
      ["eth_getBlockTransactionCountByHash", blockHash],
      ["eth_getUncleCountByBlockNumber", "0x2"],
      ["eth_getUncleCountByBlockHash", blockHash],
      ["eth_getUncleByBlockNumberAndIndex", "0x2", "0x0"],
      ["eth_getUncleByBlockHashAndIndex", blockHash, "0x0"],
      ["eth_getTransactionByHash", hash],
      ["eth_getTransactionByBlockNumberAndIndex", "0x2", "0x0"],
      ["eth_getTransactionByBlockHashAndIndex", blockHash, "0x0"],
      ["eth_getTransactionReceipt", hash],
      ["eth_getBlockReceipts", "0x2"],
      ["eth_getRawTransactionByHash", hash],
      ["eth_getRawTransactionByBlockHashAndIndex", blockHash, "0x0"],
      ["eth_getRawTransactionByBlockNumberAndIndex", "0x2", "0x0"],
      ["eth_getBlocksByNumber", "0x2"],
      ["eth_maxPriorityFeePerGas"],
      ["eth_feeHistory", "0x2", "latest", [25, 75]],
      ["eth_call", { to: contract }, "latest"],
      ["eth_estimateGas", { from: sender, to: contract }],
      ["eth_simulateV1", { blockStateCalls: [{ calls: [{ from: sender, to: contract }] }] }, "latest"],
      [
        "eth_callMany",
        [
          {
            transactions: [
              { from: sender, to: contract },
              { to: contract, data: "0x00" },
            ],
          },
        ],
        { blockNumber: "latest" },
      ],
      ["eth_createAccessList", { from: sender, to: contract }, "latest"],
      ["eth_getLogs", { fromBlock: "0x1", toBlock: "latest", address: contract }],
      ["eth_getLogs", { blockHash, topics: [null, `0x${"00".repeat(32)}`] }],
      ["eth_uninstallFilter", "0x1"],
      ["eth_pendingTransactions"],
      ["txpool_status"],
      ["txpool_content"],
      ["txpool_contentFrom", sender],
      ["txpool_inspect"],
      ["debug_getRawHeader", "0x2"],
      ["debug_getRawBlock", "0x2"],
      ["debug_getRawReceipts", "0x2"],
      ["debug_getRawTransaction", hash],
      ["eth_getProof", contract, [], "latest"],
      ["eth_getAccount", contract, "latest"],
      ["eth_getAccountInfo", contract, "latest"],
      ["eth_getTransactionBySenderAndNonce", sender, toQuantity(transaction.nonce)],
      ["chain_getRawBlockHeaderByNumber", "0x2"],
      ["chain_getRawTransactionReceiptByHash", hash],
      ["chain_getTransactionReceiptNodesByHash", blockHash, hash],
      ["debug_traceTransaction", hash, { tracer: "prestateTracer", tracerConfig: { diffMode: true } }],
      ["debug_traceCall", { from: sender, to: contract }, "latest", { tracer: "callTracer" }],
      [
        "debug_traceCallMany",
        [{ transactions: [{ from: sender, to: contract }] }],
        { blockNumber: "latest", transactionIndex: -1 },
        { tracer: "callTracer" },
      ],
      ["trace_callMany", [[{ from: sender, to: contract }, ["trace"]]], "latest"],
      ["trace_call", { from: sender, to: contract }, ["trace"], "latest"],
      ["trace_rawTransaction", toData(transaction.encoded), ["trace"]],
      ["trace_replayTransaction", hash, ["stateDiff"]],
      ["trace_replayBlockTransactions", "0x2", ["trace"]],
      ["sco_banAddress", "192.0.2.0/24"],
      ["sco_bannedAddresses"],
      ["sco_peerList"],
      ["sco_reputationSummary"],
      ["web3_clientVersion"],
      ["net_listening"],
      ["net_peerCount"],
      ["net_peerList"],
      ["rpc_modules"],
      ["eth_gasPrice"],
      ["eth_hashrate"],
      ["eth_mining"],
      ["eth_coinbase"],
      ["eth_bridgeState"],
      ["chain_getRawBlockHeaderByHash", blockHash],
      ["chain_getStorageBytesAt", contract, "0x0"],
      ["debug_traceBlockByHash", blockHash, { tracer: "callTracer" }],
      ["debug_traceBlockByNumber", "0x2", { tracer: "callTracer" }],
      ["debug_traceBlock", toData(block.encode()), { tracer: "callTracer" }],
      ["debug_nodeStatus"],
      ["debug_wireProtocolQueueSize"],
      ["trace_transaction", hash],
      ["trace_block", "0x2"],
      ["trace_filter", { fromBlock: "0x2", toBlock: "latest", toAddress: [contract] }],
      ["trace_get", hash, ["0x0"]],
      ["sco_unbanAddress", "192.0.2.0/24"],
      ["sco_clearPeerScoring", "198.51.100.7"],
      ["admin_nodeInfo"],
      ["admin_datadir"],
      ["admin_setLogLevel", "info,p2p=debug"],
      ["admin_reloadConfig"],
      ["admin_peers"],
      ["admin_addPeer", `/ip4/192.0.2.7/tcp/30330/p2p/${PEER.id}`],
      ["admin_removePeer", PEER.id],
      ["admin_banPeer", PEER.id],
      ["admin_unbanPeer", "192.0.2.7"],
    ],
  };
}
