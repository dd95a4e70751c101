import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { spawnCli } from "@cambium/test-utils/node-cli";
import { RpcClient, type RpcFailure, until } from "@cambium/test-utils/rpc-client";
import { type Ask, filledParams, readFacts } from "../web/node/filling.js";
import type { Method, OpenRpc } from "../web/node/openrpc.js";

/** Methods whose filled form has no useful answer, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  eth_subscribe: "over WebSocket only",
  eth_unsubscribe: "over WebSocket only",
  eth_getUncleByBlockHashAndIndex: "this chain has no uncles",
  eth_getUncleByBlockNumberAndIndex: "this chain has no uncles",
  hardhat_dropTransaction: "nothing is pending where every transaction is mined",
  anvil_dropTransaction: "nothing is pending where every transaction is mined",
  personal_sendTransaction: "the passphrase is the user's",
  personal_sign: "the passphrase is the user's",
  dev_getArtifact: "no artifact is known without --abi",
  dev_addArtifact: "the last transaction is a transfer",
  ots_getContractCreator: "the last transaction creates no contract",
  mnr_rememberWork: "takes a block that a miner has built",
  mnr_submitParentChainBlock: "takes a solution",
  mnr_submitBitcoinBlock: "takes a solution",
  mnr_submitParentChainBlockTransactions: "takes a solution",
  mnr_submitBitcoinBlockTransactions: "takes a solution",
  mnr_submitParentChainBlockPartialMerkle: "takes a solution",
  mnr_submitBitcoinBlockPartialMerkle: "takes a solution",
};

/** Methods that change the basis of others: they come last, in this order. */
const LAST = ["evm_reset", "evm_stopMining", "hardhat_reset", "anvil_reset"];

describe("the playground of the dashboard", function () {
  this.timeout(300_000);
  let dev: ChildProcess;
  let ask: Ask;

  before(async () => {
    dev = spawnCli("dev", "--http.port", "0");
    let output = "";
    dev.stdout!.on("data", (chunk) => (output += chunk));
    const url = () => /(?:RPC URL +|"url":")(http:\/\/[\d.]+:\d+)/.exec(output)?.[1];
    await until(async () => url() !== undefined);
    const client = new RpcClient(url()!, false);
    ask = (method, ...params) => client.call(method, ...params);
    const [from, to] = await ask<string[]>("eth_accounts");
    // A contract, and a transfer.
    await ask("eth_sendTransaction", { from, data: "0x6005600c60003960056000f3602a60005500" });
    await ask("eth_sendTransaction", { from, to, value: "0x1" });
  });

  after(async () => {
    if (dev?.kill() === true) await once(dev, "close");
  });

  it("fills each form with what the node answers", async () => {
    const { methods } = await ask<OpenRpc>("rpc.discover");
    const useless: [string, string][] = [];
    for (const method of inOrder(methods)) {
      const params = await filledParams(method, await readFacts(ask), ask);
      const problem = await problemOf(method, params, ask);
      if (problem !== undefined) useless.push([method.name, problem]);
    }
    const unexpected = useless.filter(([name]) => EXCEPTIONS[name] === undefined);
    assert.deepEqual(unexpected, []);
    const names = useless.map(([name]) => name);
    assert.deepEqual(names.toSorted(), Object.keys(EXCEPTIONS).toSorted());
  });
});

/** The methods of tools, which change the chain, come after those that read it. */
function inOrder(methods: readonly Method[]): Method[] {
  const rank = ({ name }: Method) => (/^(evm|hardhat|anvil)_/.test(name) ? 1 : 0) + LAST.indexOf(name) + 1;
  return methods.toSorted((a, b) => rank(a) - rank(b));
}

/** Why the answer is of no use; undefined if it is of some. */
async function problemOf(method: Method, params: unknown[], ask: Ask): Promise<string | undefined> {
  try {
    const sent = params.map((param) => param ?? null);
    while (sent.length > 0 && sent.at(-1) === null) sent.pop();
    const result = await ask<unknown>(method.name, ...sent);
    return result === null && method.result?.schema.type !== "null" ? "null" : undefined;
  } catch (error) {
    return (error as RpcFailure).message;
  }
}
