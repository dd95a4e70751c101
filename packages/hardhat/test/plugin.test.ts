import assert from "node:assert/strict";
import { cambium } from "../src/index.js";

const OTHER = { jsonrpc: "2.0", id: 1, result: "other" } as const;
const other = async () => OTHER;

/** Loads the hooks like Hardhat. */
async function hooksOf(plugin: ReturnType<typeof cambium>) {
  const [config, network] = await Promise.all([plugin.hookHandlers.config(), plugin.hookHandlers.network()]);
  return { config: await config.default(), network: await network.default() };
}

describe("the plugin for Hardhat", () => {
  it("adds a network, and keeps all others", async () => {
    const { config } = await hooksOf(cambium());
    const user = { solidity: "0.8.35", networks: { other: { type: "http", url: "http://127.0.0.1:1" } } };
    const extended = await config.extendUserConfig<object>(user, async (one) => one);
    assert.deepEqual(extended, {
      ...user,
      networks: { ...user.networks, cambium: { type: "http", url: "http://cambium.invalid" } },
    });
  });

  it("answers the requests of its network only, with a chain for each connection", async () => {
    const { network } = await hooksOf(cambium({ chainId: 99 }));
    const connections = [{ networkName: "cambium" }, { networkName: "cambium" }];
    const ask = (connection: { networkName: string }, method: string, ...params: unknown[]) =>
      network.onRequest({}, connection, { jsonrpc: "2.0", id: 7, method, params }, other);
    assert.equal(await ask({ networkName: "local" }, "eth_chainId"), OTHER);
    assert.deepEqual(await ask(connections[0]!, "eth_chainId"), { jsonrpc: "2.0", id: 7, result: "0x63" });
    await ask(connections[0]!, "evm_mine");
    const heights = await Promise.all(connections.map((one) => ask(one, "eth_blockNumber")));
    assert.deepEqual(
      heights.map((answer) => "result" in answer && answer.result),
      ["0x1", "0x0"],
    );
    const failed = await ask(connections[1]!, "eth_call", { data: "0x5f5ffd" }, "latest");
    assert("error" in failed);
    assert.deepEqual([failed.id, failed.error.code, failed.error.data], [7, 3, "0x"]);
    let closed = 0;
    for (const connection of [...connections, { networkName: "local" }]) {
      await network.closeConnection({}, connection, async () => void closed++);
    }
    assert.equal(closed, 3);
  });
});
