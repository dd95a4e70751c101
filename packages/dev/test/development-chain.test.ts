import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { local } from "@cambium/config";
import { withFolder } from "@cambium/test-utils/node-cli";
import { type DevelopmentChain, startDevelopmentChain } from "../src/development-chain.js";
import { DevError } from "../src/errors.js";
import { ProviderRpcError } from "../src/provider-error.js";

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

const RECEIVER = `0x${"11".repeat(20)}`;
/** Reverts with its call data. */
const REVERTER = `0x${"2b".repeat(20)}`;
const REVERTER_CODE = "0x365f5f37365ffd";

const request = (chain: DevelopmentChain, method: string, ...params: unknown[]) =>
  chain.provider.request({ method, params }) as Promise<Json>;
const height = async (chain: DevelopmentChain) => Number(await request(chain, "eth_blockNumber"));

async function send(chain: DevelopmentChain, own: object): Promise<string> {
  const [from] = chain.accounts;
  return request(chain, "eth_sendTransaction", { from: from!.address, ...own });
}

/** Runs a program that imports this package. */
function runModule(source: string, env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    cwd: new URL("..", import.meta.url),
    encoding: "utf8",
    env: { ...process.env, ...env },
    timeout: 300_000,
  });
}

async function withChain(
  use: (chain: DevelopmentChain) => Promise<unknown>,
  options: Parameters<typeof startDevelopmentChain>[0] = {},
): Promise<void> {
  const chain = await startDevelopmentChain(options);
  try {
    await use(chain);
  } finally {
    await chain.stop();
  }
}

describe("a development chain in the process", () => {
  it("has funded accounts, and mines each transaction", () =>
    withChain(async (chain) => {
      assert.equal(chain.accounts[0]!.address, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
      assert.equal((await request(chain, "eth_accounts")).length, 10);
      const hash = await send(chain, { to: RECEIVER, value: "0x1" });
      assert.equal((await request(chain, "eth_getTransactionReceipt", hash)).status, "0x1");
      assert.equal(await request(chain, "eth_getBalance", RECEIVER, "latest"), "0x1");
    }));

  it("has what is asked for", () =>
    withChain(
      async (chain) => {
        assert.equal(await request(chain, "eth_chainId"), "0x63");
        assert.equal(chain.accounts.length, 2);
        assert.equal(await request(chain, "eth_getBalance", chain.accounts[1]!.address, "latest"), "0x7");
        assert.equal((await request(chain, "eth_getBlockByNumber", "latest", false)).gasLimit, "0x1c9c380");
      },
      { chainId: 99, accounts: 2, balance: 7n, gasLimit: 30_000_000 },
    ));

  it("refuses what no chain can have, by name", async () => {
    for (const options of [
      { chainId: 30 },
      { accounts: -1 },
      { mnemonic: "test" },
      { gasLimit: 1 },
      { blockTime: 0 },
    ]) {
      const [name] = Object.keys(options);
      await assert.rejects(
        startDevelopmentChain(options),
        (error) => error instanceof DevError && error.message.includes(` for ${name}: expected `),
      );
    }
    await assert.rejects(
      startDevelopmentChain({ fork: { allow: ["rpc.example.org"] } }),
      /for fork\.allow: expected origins/,
    );
  });

  it("returns to snapshots", () =>
    withChain(async (chain) => {
      await chain.mine(3);
      const id = await chain.snapshot();
      await send(chain, { to: RECEIVER, value: "0x1" });
      await chain.mine();
      assert.equal(await height(chain), 5);
      await chain.revert(id);
      assert.equal(await height(chain), 3);
      assert.equal(await request(chain, "eth_getBalance", RECEIVER, "latest"), "0x0");
      await assert.rejects(chain.revert(id), { code: "UNKNOWN_SNAPSHOT" });
    }));

  it("forks the folder of a chain that has ended", () =>
    withFolder(async (dataDir) => {
      await withChain(
        async (origin) => {
          await send(origin, { to: RECEIVER, value: "0x5" });
          await send(origin, { to: RECEIVER, value: "0x2" });
        },
        { dataDir },
      );
      for (const [block, balance] of [[1, 5] as const, [2, 7] as const]) {
        await withChain(
          async (fork) => {
            assert.equal(await height(fork), block);
            await send(fork, { to: RECEIVER, value: "0x3" });
            assert.equal(Number(await request(fork, "eth_getBalance", RECEIVER, "latest")), balance + 3);
          },
          { fork: { source: dataDir, block, network: local } },
        );
      }
    }));

  it("does not fork a chain of its process, which could not answer", () =>
    withChain(async (origin) => {
      const fork = await origin.url();
      await assert.rejects(startDevelopmentChain({ fork }), { code: "FORK_OF_ITSELF" });
      await assert.rejects(startDevelopmentChain({ fork: fork.replace("127.0.0.1", "localhost") }), {
        code: "FORK_OF_ITSELF",
      });
    }));

  it("rejects with the code and the data of errors, and the hash of a mined failure", () =>
    withChain(async (chain) => {
      await request(chain, "hardhat_setCode", REVERTER, REVERTER_CODE);
      // Panic(0x11)
      const data = `0x4e487b71${"11".padStart(64, "0")}`;
      const failed: ProviderRpcError = await send(chain, { to: REVERTER, data, gas: "0xffff" }).then(
        () => assert.fail(),
        (error) => error,
      );
      assert(failed instanceof ProviderRpcError);
      const { transactions } = await request(chain, "eth_getBlockByNumber", "latest", false);
      assert.deepEqual([failed.code, failed.data], [3, data]);
      assert.equal(
        failed.message,
        `VM Exception while processing transaction: revert panic 17 (arithmetic overflow or underflow) (execution reverted); transaction ${transactions[0]}`,
      );
      const unknown = request(chain, "eth_call", { to: REVERTER, data: `0x12345678${"00".repeat(32)}` }, "latest");
      await assert.rejects(unknown, { code: 3, message: /revert custom error 0x12345678 \(execution reverted\)$/ });
      await assert.rejects(request(chain, "no_method"), { name: "ProviderRpcError", code: -32601 });
      await assert.rejects(request(chain, "eth_call", { value: 1n }), { name: "ProviderRpcError", code: -32600 });
      await assert.rejects(request(chain, "eth_getBalance", "0x1"), { code: -32602 });
    }));

  it("does not share its objects with the program", () =>
    withChain(async (chain) => {
      const first = await request(chain, "eth_getBlockByNumber", "0x0", false);
      first.hash = "changed";
      assert.notEqual((await request(chain, "eth_getBlockByNumber", "0x0", false)).hash, "changed");
    }));

  it("emits what EIP-1193 says", async () => {
    const chain = await startDevelopmentChain();
    const { provider } = chain;
    const events: [string, unknown][] = [];
    for (const name of ["connect", "disconnect", "chainChanged", "accountsChanged"]) {
      provider.on(name, (value) => events.push([name, value]));
    }
    const messages: Json[] = [];
    const connected = new Promise((resolve) => provider.on("connect", resolve));
    assert.deepEqual(await connected, { chainId: "0x21" });
    const id = await request(chain, "eth_subscribe", "newHeads");
    const second = new Promise<void>((resolve) => {
      provider.on("message", (message) => messages.push(message) === 2 && resolve());
    });
    await chain.mine(2);
    await second;
    assert.deepEqual(
      messages.map(({ type, data }) => [type, data.subscription, data.result.number]),
      [
        ["eth_subscription", id, "0x1"],
        ["eth_subscription", id, "0x2"],
      ],
    );
    assert.equal(await request(chain, "eth_unsubscribe", id), true);
    await request(chain, "hardhat_impersonateAccount", RECEIVER);
    await chain.stop();
    const own = chain.accounts.map(({ address }) => address.toLowerCase());
    assert.deepEqual(
      events.map(([name, value]) => (name === "disconnect" ? [name, (value as ProviderRpcError).code] : [name, value])),
      [
        ["connect", { chainId: "0x21" }],
        ["accountsChanged", [...own, RECEIVER]],
        ["disconnect", 4900],
      ],
    );
    await assert.rejects(request(chain, "eth_chainId"), { code: 4900 });
  });

  it("lets timers of the program run between its requests", () =>
    withChain(async (chain) => {
      let hasRun = false;
      setTimeout(() => (hasRun = true), 1);
      while (!hasRun) await request(chain, "eth_blockNumber");
    }));

  it("listens once it is asked for its URL, and serves the same chain", async () => {
    const chain = await startDevelopmentChain();
    const url = await chain.url();
    assert.equal(await chain.url(), url);
    await chain.mine();
    const ask = () =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
      });
    assert.equal(((await (await ask()).json()) as Json).result, "0x1");
    await chain.stop();
    await assert.rejects(ask());
  });

  it("prints transactions, failures and what contracts log", async () => {
    const lines: string[] = [];
    await withChain(
      async (chain) => {
        await send(chain, { to: RECEIVER, value: "0x16345785d8a0000" });
        await request(chain, "hardhat_setCode", REVERTER, REVERTER_CODE);
        await assert.rejects(request(chain, "eth_call", { to: REVERTER, data: "0x12345678" }, "latest"));
      },
      { print: (line) => lines.push(line) },
    );
    assert.match(lines[0]!, /^✓ 0\.1 coins to 0x1111… {2}21 000 gas {2}0x[0-9a-f]{4}…$/);
    assert.match(lines[1]!, /^✓ sets code of 0x2b2B… {2}0x[0-9a-f]{4}…$/);
    assert.equal(lines[2], "✗ 0x2b2B….0x12345678()  custom error 0x12345678  eth_call");
    assert.equal(lines.length, 3);
  });

  it("runs beside others, and each releases what it has", () =>
    withFolder(async (folder) => {
      const { TMPDIR } = process.env;
      process.env.TMPDIR = folder;
      try {
        const chains = await Promise.all([1, 2, 3].map(() => startDevelopmentChain()));
        await chains[1]!.mine(5);
        assert.deepEqual(await Promise.all(chains.map(height)), [0, 5, 0]);
        assert.equal(readdirSync(folder).length, 3);
        for (const chain of chains) await chain.stop();
        assert.deepEqual(readdirSync(folder), []);
      } finally {
        if (TMPDIR === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = TMPDIR;
      }
    }));

  it("lets the process end by itself", () => {
    const source = `
      import { startDevelopmentChain } from "@cambium/dev";
      const chain = await startDevelopmentChain();
      await chain.url();
      await chain.provider.request({ method: "eth_call", params: [{ data: "0x5b600056", gas: "0x989680" }, "latest"] }).catch(() => undefined);
      await chain.stop();
      console.log("stopped");
    `;
    const { stdout, stderr, status } = runModule(source);
    assert.deepEqual([stdout, status], ["stopped\n", 0], stderr);
  });

  it("removes its folder if the process ends without a stop", () =>
    withFolder(async (folder) => {
      const source = `
        import { readdirSync } from "node:fs";
        import { startDevelopmentChain } from "@cambium/dev";
        await startDevelopmentChain();
        console.log(readdirSync(process.env.TMPDIR).join());
        process.exit();
      `;
      assert.match(runModule(source, { TMPDIR: folder }).stdout, /^cambium-dev-\w+\n$/);
      assert.deepEqual(readdirSync(folder), []);
    }));
});
