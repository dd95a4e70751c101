import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { main } from "@cambium/config";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import type { HttpConfig } from "../src/config.js";
import { DEFAULT_RPC_CONFIG, type RpcConfig } from "../src/index.js";
import { JSON_HEADERS, send } from "./support/http-client.js";
import { config, serverOver } from "./support/service.js";

const chain = new FakeChain(main);
const BODY = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });

async function serving(
  http: Partial<HttpConfig>,
  use: (port: number) => Promise<void>,
  changes: Partial<RpcConfig> = {},
): Promise<void> {
  const full = config({ ...changes, http: { ...DEFAULT_RPC_CONFIG.http, port: 0, ...http } });
  const server = serverOver(chain, full);
  const { port } = await server.listen();
  try {
    await use(port);
  } finally {
    await server.close();
  }
}

/** Whether JSON-RPC answers a page of this origin. */
async function isAnswered(port: number, origin: string, host = `127.0.0.1:${port}`): Promise<boolean> {
  const answer = await send({ port, headers: { ...JSON_HEADERS, origin, host }, body: BODY });
  assert.ok(answer.status === 200 || answer.status === 403, String(answer.status));
  return answer.status === 200;
}

describe("the dashboard's files", () => {
  it("are served with their types, a strict policy, tags and compression", async () => {
    await serving({}, async (port) => {
      const get = (path: string, headers = {}) => send({ port, path, method: "GET", headers });
      const page = await get("/dashboard/");
      assert.deepEqual([page.status, page.headers["content-type"]], [200, "text/html; charset=utf-8"]);
      assert.equal(page.headers["cache-control"], "no-cache");
      const policy = String(page.headers["content-security-policy"]);
      for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
        assert.ok(policy.includes(part), part);
      }
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.equal(page.headers["x-content-type-options"], "nosniff");

      const html = page.body.toString();
      assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|style=|https?:\/\//);
      const paths = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path!);
      assert.equal(paths.length, 3);
      for (const path of paths) {
        const file = await get(`/dashboard/${path}`);
        assert.equal(file.status, 200);
        assert.match(String(file.headers["content-type"]), /^(text\/(javascript|css)|image\/svg)/);
        assert.equal(file.headers["cache-control"], "public, max-age=31536000, immutable");
        const gzipped = await get(`/dashboard/${path}`, { "accept-encoding": "gzip" });
        assert.deepEqual(gunzipSync(gzipped.body), file.body);
        const known = await get(`/dashboard/${path}`, { "if-none-match": String(file.headers.etag) });
        assert.deepEqual([known.status, known.body.length], [304, 0]);
      }
    });
  });

  it("are found from the root by browsers only, and nothing else is", async () => {
    await serving({}, async (port) => {
      const get = (path: string, headers = {}) => send({ port, path, method: "GET", headers });
      for (const found of [await get("/dashboard"), await get("/", { accept: "text/html,*/*" })]) {
        assert.deepEqual([found.status, found.headers.location], [302, "/dashboard/"]);
      }
      assert.equal((await get("/", { accept: "*/*" })).status, 200);
      for (const path of [
        "x",
        "../package.json",
        "..%2fpackage.json",
        "%2e%2e/package.json",
        ".inputs",
        "assets",
        "assets/",
      ]) {
        assert.equal((await get(`/dashboard/${path}`)).status, 404, path);
      }
      const head = await send({ port, path: "/dashboard/", method: "HEAD" });
      assert.deepEqual([head.status, head.body.length], [200, 0]);
      assert.equal((await send({ port, path: "/dashboard/", method: "PUT" })).status, 405);
      assert.equal((await get("/dashboard/", { host: "attacker.example" })).status, 403);
    });
  });

  it("are served to this machine only, unless the configuration says otherwise", async () => {
    const status = async (http: Partial<HttpConfig>, changes: Partial<RpcConfig> = {}) => {
      let found = 0;
      const ask = async (port: number) => {
        found = (await send({ port, path: "/dashboard/", method: "GET" })).status;
      };
      await serving(http, ask, changes);
      return found;
    };
    assert.equal(await status({ dashboard: false }), 405);
    assert.equal(await status({ host: "0.0.0.0" }), 405);
    assert.equal(await status({ host: "0.0.0.0", dashboard: true }), 200);
    const auth = { keys: ["secret"] };
    assert.equal(await status({}, { auth }), 401);
    // The files are no secret, but JSON-RPC still requires the key.
    assert.equal(await status({ dashboard: true }, { auth }), 200);
    await serving(
      { dashboard: true },
      async (port) => assert.equal((await send({ port, headers: JSON_HEADERS, body: BODY })).status, 401),
      { auth },
    );
  });

  it("may use JSON-RPC of their own server, and pages of other origins still may not", async () => {
    await serving({}, async (port) => {
      assert.ok(await isAnswered(port, `http://127.0.0.1:${port}`));
      assert.ok(await isAnswered(port, `http://localhost:${port}`, `localhost:${port}`));
      assert.ok(!(await isAnswered(port, `http://127.0.0.1:${port + 1}`)));
      assert.ok(!(await isAnswered(port, "http://attacker.example")));
      assert.ok(!(await isAnswered(port, "null")));
      assert.ok(!(await isAnswered(port, "http://attacker.example", "attacker.example")));
    });
    // A foreign domain that points at this node is not its own page, even where any host is accepted.
    await serving({ hosts: ["*"] }, async (port) => {
      assert.ok(!(await isAnswered(port, "http://attacker.example", "attacker.example")));
    });
    await serving({ dashboard: false }, async (port) => {
      assert.ok(!(await isAnswered(port, `http://127.0.0.1:${port}`)));
    });
  });
});
