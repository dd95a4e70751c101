import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createChainEvm, openChain } from "@cambium/chain";
import { local } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { toData } from "@cambium/primitives";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { openTransactionPool } from "@cambium/txpool";
import { DEFAULT_API_CONFIG } from "../src/config.js";
import { Api, type ApiParts, ChainFeed, FilterRegistry, METHODS } from "../src/index.js";

const SOURCES = resolve(import.meta.dirname, "../src");
/** Modules of connections and threads. */
const TRANSPORT = /from "(?:ws|node:(?:net|http|https|http2|tls|dgram|worker_threads|child_process|cluster))"/;

/** Parts over a chain in memory, without a server. */
async function partsInMemory(): Promise<ApiParts> {
  const chain = await openChain({ network: local, database: new MemoryDatabase() });
  const pool = openTransactionPool({ chain, evm: createChainEvm(local), now: () => 1_700_000_000 });
  const own = { chain, pool, config: DEFAULT_API_CONFIG, clientVersion: "Example/1", syncStatus: () => false as const };
  const feed = new ChainFeed(chain);
  return { ...own, feed, filters: new FilterRegistry({ ...own, feed, logger: SILENT }) };
}

describe("the API without a server", () => {
  let parts: ApiParts;
  let api: Api;
  const call = async (name: string, ...params: unknown[]) => api.call(api.methods.get(name)!, params);

  before(async () => {
    parts = await partsInMemory();
    api = new Api(parts, METHODS);
  });

  it("answers from a chain in memory", async () => {
    assert.equal(await call("eth_blockNumber"), "0x0");
    const genesis = (await call("eth_getBlockByNumber", "earliest", false)) as { hash: string };
    assert.equal(genesis.hash, toData(parts.chain.best().hash));
    const filter = await call("eth_newBlockFilter");
    assert.deepEqual(await call("eth_getFilterChanges", filter), []);
  });

  it("executes heavy work in the calling thread", async () => {
    const to = `0x${"11".repeat(20)}`;
    assert.equal(await call("eth_call", { to }, "latest"), "0x");
  });

  it("rejects parameters that the method does not have", async () => {
    for (const params of [[], ["latest", false, 1], ["nonsense", false]]) {
      await assert.rejects(call("eth_getBlockByNumber", ...params), { code: "INVALID_PARAMS" });
    }
    assert.throws(() => api.call(api.methods.get("eth_blockNumber")!, { by: "name" }), { code: "INVALID_PARAMS" });
  });

  it("has the methods whose parts are there, also under the deployed names unless they are disabled", () => {
    assert(!api.methods.has("mnr_getWork"));
    assert.equal(api.methods.get("rsk_protocolVersion"), api.methods.get("chain_protocolVersion"));
    const without = new Api({ ...parts, config: { ...DEFAULT_API_CONFIG, aliases: false } }, METHODS);
    assert(!without.methods.has("rsk_protocolVersion"));
  });

  it("imports neither sockets nor threads", () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const importing = files.filter((file) => TRANSPORT.test(readFileSync(resolve(SOURCES, file), "utf8")));
    assert.deepEqual([files.length > 100, importing], [true, []]);
  });

  it("lists optional parameters after required ones", () => {
    for (const { name, params } of METHODS) {
      const firstOptional = params.findIndex(({ required }) => !required);
      if (firstOptional < 0) continue;
      assert(
        params.slice(firstOptional).every(({ required }) => !required),
        name,
      );
    }
  });
});
