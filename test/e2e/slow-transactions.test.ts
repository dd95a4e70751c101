import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromHex } from "@cambium/primitives";
import type { Work } from "@cambium/test-utils/clients/mining-client";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { Mine } from "@cambium/test-utils/mined-chains";
import { clock, HostilePeers } from "@cambium/test-utils/peers/hostile-peers";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { until } from "@cambium/test-utils/rpc-client";
import { PAIRINGS } from "@cambium/test-utils/slow-code";
import { Transaction } from "@cambium/types";
import { keccak256, type TransactionRequest, type Wallet } from "ethers";

const PLAIN = { nonce: 0, gasLimit: 21_000, gasPrice: 1_000_000_000n, value: 1n, chainId: 33, type: 0 };
const RECEIVER = `0x${"07".repeat(20)}`;
const [ATTACKER, ...HONEST] = DEVELOPERS as [Wallet, ...Wallet[]];

const fees = (transfers: number) => String(21_000n * PLAIN.gasPrice * BigInt(transfers));
const sign = (from: Wallet, own: TransactionRequest) => from.signTransaction({ ...PLAIN, ...own });

describe("a slow transaction that is pending", () => {
  let folder: string;
  let miner: PeerNode;
  let peers: HostilePeers;
  let output = "";

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-slow-"));
    peers = new HostilePeers();
    miner = await startPeerNode(nodeFolder(folder, 0), [], "--miner.server");
    for (const stream of [miner.node.process.stdout!, miner.node.process.stderr!]) {
      stream.on("data", (chunk) => (output += chunk));
    }
    await miner.rpc.call("evm_mine");
  });

  after(async () => {
    await peers.end();
    await miner.node.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const work = (): Promise<Work> => miner.rpc.call("mnr_getWork");
  const pending = async () => Number((await miner.rpc.call("txpool_status")).pending);

  it("is evicted with a reason, and work comes without it, until a block contains it", async () => {
    const slow = await sign(ATTACKER, { data: PAIRINGS, gasLimit: 6_000_000, gasPrice: 2n * PLAIN.gasPrice });
    const hash = keccak256(slow);
    await miner.rpc.call("eth_sendRawTransaction", slow);
    // A busy machine builds several templates before the execution has used the time for one.
    let honest = 0;
    await until(async () => {
      const nonce = Math.floor(honest / HONEST.length);
      const transfer = await sign(HONEST[honest++ % HONEST.length]!, { to: RECEIVER, nonce });
      await miner.rpc.call("eth_sendRawTransaction", transfer);
      await work();
      return (await pending()) === honest;
    });
    await until(async () => (await work()).feesPaidToMiner === fees(honest));
    await until(async () => output.includes("takes too long to execute"));
    assert.equal(await miner.rpc.call("eth_getTransactionByHash", hash), null);
    const refused = { message: "a transaction of this account took too long to execute; try again later" };
    await assert.rejects(miner.rpc.call("eth_sendRawTransaction", slow), refused);
    await assert.rejects(miner.rpc.call("eth_sendRawTransaction", await sign(ATTACKER, { to: RECEIVER })), refused);

    const chain = await peers.chainOf(miner);
    const other = new Mine(chain, "b", clock);
    other.transactions = [Transaction.decode(fromHex(slow.slice(2)))];
    const sender = await peers.start(chain);
    await sender.dial(miner.address);
    const block = await other.block();
    assert.equal(block.transactions.length, 2);
    await sender.publishBlock(block.encode());
    await until(async () => (await bestOf(miner)).number === block.number);
    assert.equal((await miner.rpc.call("eth_getTransactionReceipt", hash)).status, "0x0");
    await miner.rpc.call("eth_sendRawTransaction", await sign(ATTACKER, { to: RECEIVER, nonce: 1 }));
    await until(async () => (await work()).feesPaidToMiner === fees(honest + 1));
  });
});
