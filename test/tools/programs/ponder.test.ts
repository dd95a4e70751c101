import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { withFolder } from "@cambium/test-utils/node-cli";
import { type Json, RpcClient } from "@cambium/test-utils/rpc-client";
import { Interface } from "ethers";
import { freePort } from "../suites/chains.js";
import { inEachMode, type ProgramChain } from "./chains.js";
import { installPackages, projectOf, StartedProgram } from "./program.js";

const COUNTER = new Interface(COUNTER_ABI);

/** Tests Ponder, which indexes a contract's events from the beginning of a chain, and follows it. */
describe("Ponder", function () {
  this.timeout(600_000);
  before(() => installPackages("ponder"));

  inEachMode("indexes events of the past and live, and forgets those of removed blocks", async ({ url }) => {
    const counter = await Counter.deploy(url);
    await counter.add(5);
    await counter.add(7);
    await withPonder(url, counter, async (requireIndexed) => {
      await requireIndexed([5, 12]);
      await counter.add(8);
      await requireIndexed([5, 12, 20]);
      await counter.rpc.call("anvil_reorg", 2, [[counter.addition(30), 1]]);
      await requireIndexed([5, 35]);
      await counter.add(1);
      await requireIndexed([5, 35, 36]);
    });
  });
});

/** The counter contract on a chain whose node signs. */
class Counter {
  private constructor(
    readonly rpc: RpcClient,
    private readonly from: string,
    readonly address: string,
  ) {}

  static async deploy(url: ProgramChain["url"]): Promise<Counter> {
    const rpc = new RpcClient(url);
    const [from] = await rpc.call("eth_accounts");
    const hash = await rpc.call("eth_sendTransaction", { from, data: COUNTER_CODE, gas: "0x30d40" });
    const { contractAddress } = await rpc.call("eth_getTransactionReceipt", hash);
    return new Counter(rpc, from, contractAddress);
  }

  addition(amount: number) {
    return { from: this.from, to: this.address, data: COUNTER.encodeFunctionData("add", [amount]), gas: "0x30d40" };
  }

  async add(amount: number): Promise<void> {
    await this.rpc.call("eth_sendTransaction", this.addition(amount));
  }
}

type RequireIndexed = (totals: readonly number[]) => Promise<void>;

/** Runs Ponder for `use`, which waits for answers of Ponder's own API. */
async function withPonder(url: string, counter: Counter, use: (requireIndexed: RequireIndexed) => Promise<void>) {
  await withFolder(async (database) => {
    const port = await freePort();
    const chainId = await counter.rpc.call("eth_chainId");
    const ponder = StartedProgram.start(
      projectOf("ponder"),
      ["node_modules/.bin/ponder", "start", "--schema", "tour", "--port", `${port}`],
      {
        ...{ NODE_URL: url, CHAIN_ID: chainId, DATABASE: database },
        ...{ COUNTER: counter.address, COUNTER_ABI: JSON.stringify(COUNTER_ABI), PONDER_TELEMETRY_DISABLED: "true" },
      },
    );
    const indexed = async () => {
      const body = JSON.stringify({ query: '{ additions(orderBy: "total") { items { total } } }' });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, { method: "POST", headers, body });
      const { data } = (await response.json()) as Json;
      return data?.additions.items.map(({ total }: { total: string }) => Number(total)).join();
    };
    try {
      await use((totals) => ponder.until(async () => (await indexed().catch(() => undefined)) === totals.join()));
    } finally {
      await ponder.stop();
    }
  });
}
