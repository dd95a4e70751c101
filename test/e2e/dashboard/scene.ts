import { solve, submit } from "@cambium/test-utils/clients/mining-client";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { type RpcClient, until } from "@cambium/test-utils/rpc-client";
import { tokenCode, transferData } from "./token.js";

/** A node with content on every page, and its peers. */
export interface Scene {
  rpc: RpcClient;
  url: string;
  token: string;
  /** Address of a contract whose texts are HTML. */
  hostile: string;
  /** Hashes of mined transactions: a token transfer, a failed call of the hostile contract. */
  transfer: string;
  failed: string;
  /** Number of the block that contains both. */
  block: number;
  stop(): Promise<void>;
}

const BRIDGE = "0x0000000000000000000000000000000001000006";
const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;
/** HTML that would change the title of the page if it ran. */
export const HTML = `<img src=x onerror="document.title='ran'"><script>document.title='ran'</script>`;
const BLOCKS = 24;

export async function openScene(folder: string): Promise<Scene> {
  const nodes: PeerNode[] = [];
  const stop = async () => {
    for (const { node } of nodes) await node.stop();
  };
  try {
    nodes.push(await startPeerNode(nodeFolder(folder, 0), [], "--rpc.modules", "sco,admin"));
    const [own] = nodes as [PeerNode];
    const content = await fill(own.rpc);
    nodes.push(await startPeerNode(nodeFolder(folder, 1), [own.address]));
    nodes.push(await startPeerNode(nodeFolder(folder, 2), []));
    await own.rpc.call("admin_addPeer", nodes[2]!.address);
    await until(async () => (await own.rpc.call("admin_peers")).length === 2);
    return { rpc: own.rpc, url: own.node.url, ...content, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Blocks of the last minutes with transfers, tokens, a failed call and a request to the bridge; some transactions stay
 * pending.
 */
async function fill(rpc: RpcClient): Promise<Omit<Scene, "rpc" | "url" | "stop">> {
  let time = Math.floor(Date.now() / 1000) - BLOCKS * 45;
  const send = (sender: number, request: object, price = 1n): Promise<string> =>
    rpc.call("eth_sendTransaction", {
      from: DEVELOPERS[sender]!.address,
      gas: "0x7a120",
      gasPrice: `0x${((price * GWEI) / 10n).toString(16)}`,
      ...request,
    });
  const mine = async () => {
    time += 20 + ((time * 7) % 23);
    await rpc.call("evm_setNextBlockTimestamp", `0x${time.toString(16)}`);
    await rpc.call("evm_mine");
  };
  const created = async (hash: string) => (await rpc.call("eth_getTransactionReceipt", hash)).contractAddress;
  const pay = (sender: number, price?: bigint) =>
    send(sender, { to: DEVELOPERS[(sender + 1) % 8]!.address, value: `0x${(COIN / 4n).toString(16)}` }, price);

  const bad = await send(1, { data: tokenCode({ name: HTML, symbol: HTML, reason: HTML }) });
  await mine();
  const hostile = await created(bad);
  const texts = { name: "Example Token", symbol: "EXT", reason: "not allowed" };
  const nice = await send(0, { data: tokenCode({ ...texts, callee: hostile }) });
  await mine();
  const token = await created(nice);
  for (let number = 3; number < BLOCKS - 3; number++) {
    for (let sender = 0; sender < (number * 5) % 7; sender++) await pay(sender);
    if (number % 3 === 0) await send(7, { to: token, data: transferData(DEVELOPERS[2]!.address, COIN) });
    await mine();
  }
  await send(6, { to: BRIDGE, value: `0x${(COIN / 2n).toString(16)}` });
  await mine();
  const transfer = await send(0, { to: token, data: transferData(DEVELOPERS[3]!.address, 125n * COIN) });
  const failed = await send(1, { to: hostile, data: "0x12345678" });
  await pay(2);
  await mine();
  const block = Number((await rpc.call("eth_getTransactionReceipt", transfer)).blockNumber);
  await submit(rpc, "block", solve(await rpc.call("mnr_getWork")));
  await mine();
  for (let sender = 0; sender < 7; sender++) await pay(sender, BigInt(1 + ((sender * 5) % 4)));
  await send(3, { to: token, data: transferData(DEVELOPERS[4]!.address, 5n * COIN) }, 3n);
  // The transaction waits for an earlier nonce.
  const nonce = Number(await rpc.call("eth_getTransactionCount", DEVELOPERS[8]!.address, "pending")) + 2;
  await send(8, { to: DEVELOPERS[0]!.address, value: "0x1", nonce: `0x${nonce.toString(16)}` });
  return { token, hostile, transfer, failed, block };
}
