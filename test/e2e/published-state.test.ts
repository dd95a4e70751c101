import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { freePort } from "@cambium/test-utils/servers/free-port";
import { vectorPath } from "@cambium/test-utils/vectors";

const NETWORK = new URL("files/recorded-network.json", import.meta.url).pathname;
const keys = JSON.parse(readFileSync(vectorPath("published-state", "keys.json"), "utf8")) as Key[];
const KEYS = keys.map(({ publicKey }) => publicKey).join(",");

interface Key {
  publicKey: string;
  privateKey: string;
}

interface Site {
  url: string;
  /** Paths that were requested, with the range if there was one. */
  requests: string[];
}

/** Serves the folders of a site; the first one that has a file counts. `answer` may answer instead. */
async function withSite<T>(
  folders: readonly string[],
  use: (site: Site) => Promise<T>,
  answer: (...parameters: Parameters<RequestListener>) => boolean = () => false,
): Promise<T> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push([request.url, request.headers.range].filter(Boolean).join(" "));
    if (answer(request, response)) return;
    const content = folders.map((folder) => contentOf(join(folder, request.url!))).find((found) => found !== undefined);
    if (content === undefined) return void response.writeHead(404).end();
    const start = Number(request.headers.range?.match(/^bytes=(\d+)-$/)?.[1] ?? 0);
    const range = { "content-range": `bytes ${start}-${content.length - 1}/${content.length}` };
    response.writeHead(start > 0 ? 206 : 200, start > 0 ? range : {}).end(content.subarray(start));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function folder(...path: string[]): string {
  return vectorPath("published-state", ...path);
}

function bootstrap(data: string, ...flags: string[]) {
  return runCli("bootstrap", "--network", NETWORK, "--data-dir", data, ...flags);
}

/** Calls `use` while the environment names a listening proxy, which is then closed. */
async function throughProxy<T>(proxy: Server, use: () => Promise<T>): Promise<T> {
  const before = process.env.http_proxy;
  process.env.http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    return await use();
  } finally {
    if (before === undefined) delete process.env.http_proxy;
    else process.env.http_proxy = before;
    proxy.closeAllConnections();
    proxy.close();
  }
}

describe("node-cli bootstrap, without a file", () => {
  it("goes from an empty folder to the blocks that follow the published state", async () => {
    const { best } = JSON.parse(readFileSync(folder("contracts", "expected.json"), "utf8"));
    await withFolder((data) =>
      withSite([folder("contracts", "site")], async ({ url }) => {
        const flags = ["--bootstrap.url", url, "--bootstrap.keys", KEYS];
        const { status, stdout, stderr } = await bootstrap(data, ...flags, "--json");
        assert.equal(status, 0, stderr);
        const result = JSON.parse(stdout);
        assert.deepEqual(
          [result.block, result.hash, result.totalDifficulty],
          [best.number, best.hash, best.totalDifficulty],
        );
        assert.deepEqual(result.signers, { valid: 2, trusted: 3 });
        assert.deepEqual(readdirSync(data), ["chain"]);

        const next = folder("contracts", "next.blocks.txt");
        const imported = await runCli("import", next, "--network", NETWORK, "--data-dir", data, "--json");
        assert.equal(imported.status, 0, imported.stderr);
        assert.equal(JSON.parse(imported.stdout).imported, 15);
        const check = await runCli("db", "check", "--network", NETWORK, "--data-dir", data);
        assert.equal(check.status, 0, check.stdout + check.stderr);

        const again = await bootstrap(data, ...flags);
        assert.equal(again.status, 1);
        assert.match(again.stderr, /already has blocks, and published state needs an empty one/);
      }),
    );
  });

  it("is a part of start, which then serves the chain", async () => {
    await withFolder((data) =>
      withSite([folder("rewards", "site")], async ({ url, requests }) => {
        const flags = ["--network", NETWORK, "--data-dir", data, "--no-p2p"];
        const start = () => startNode(...flags, "--bootstrap", "--bootstrap.url", url, "--bootstrap.keys", KEYS);
        for (const expected of [4, 4]) {
          const node = await start();
          try {
            assert.equal(await new RpcClient(node.url).call("eth_blockNumber"), "0x3c");
          } finally {
            assert.equal(await node.stop(), 0);
          }
          assert.equal(requests.length, expected);
        }
      }),
    );
  });

  it("shows its progress at the addresses of the node until that serves", async () => {
    const [http, metrics] = [await freePort(), await freePort()];
    const ports = ["--http.port", String(http), "--metrics.port", String(metrics)];
    const page = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${http}${path}`, init);
    const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"eth_blockNumber","params":[]}' };
    let shown: Promise<unknown> | undefined;
    await withFolder((data) =>
      withSite(
        [folder("rewards", "site")],
        async ({ url }) => {
          const site = ["--bootstrap", "--bootstrap.url", url, "--bootstrap.keys", KEYS];
          const node = await startNode("--network", NETWORK, "--data-dir", data, "--no-p2p", ...ports, ...site);
          try {
            await shown;
            assert.equal((await fetch(`http://127.0.0.1:${metrics}/metrics`)).status, 200);
            assert.match(await (await page("/dashboard/")).text(), /<script/);
          } finally {
            assert.equal(await node.stop(), 0);
          }
        },
        ({ url }, response) => {
          if (shown !== undefined || !url!.endsWith(".zip")) return false;
          const content = readFileSync(join(folder("rewards", "site"), url!));
          shown = (async () => {
            const dashboard = await page("/dashboard/");
            assert.equal(dashboard.status, 200);
            assert.match(await dashboard.text(), /<p>published state after block 60: 2 of 3 signers agree/);
            const call = await page("/", post);
            assert.equal(call.status, 503);
            assert.match(JSON.stringify(await call.json()), /"the node is starting: published state after block 60/);
            assert.equal((await fetch(`http://127.0.0.1:${metrics}/health`)).status, 200);
            const ready = await fetch(`http://127.0.0.1:${metrics}/ready`);
            assert.equal(ready.status, 503);
            assert.match(await ready.text(), /"reasons":\["published state after block 60/);
          })().finally(() => response.end(content));
          return true;
        },
      ),
    );
  });

  it("continues a download where the connection was lost", async () => {
    let isLost = false;
    await withFolder((data) =>
      withSite(
        [folder("long", "site")],
        async ({ url, requests }) => {
          const { status, stderr } = await bootstrap(data, "--bootstrap.url", url, "--bootstrap.keys", KEYS);
          assert.equal(status, 0, stderr);
          assert.deepEqual(requests.slice(3), [
            "/archive/v2/bootstrap-data.zip",
            "/archive/v2/bootstrap-data.zip bytes=5000-",
          ]);
        },
        ({ url }, response) => {
          if (isLost || !url!.endsWith(".zip")) return false;
          isLost = true;
          const content = readFileSync(join(folder("long", "site"), url!));
          response.writeHead(200, { "content-length": content.length });
          response.write(content.subarray(0, 5000), () => response.socket!.end());
          return true;
        },
      ),
    );
  });

  it("downloads into a folder once at a time, and deletes the interrupted download of an older archive", async () => {
    let start: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    let finish: () => void = () => undefined;
    await withFolder((data) =>
      withSite(
        [folder("long", "site")],
        async ({ url }) => {
          writeFileSync(join(data, `bootstrap-${"0".repeat(64)}`), "older");
          const flags = ["--bootstrap.url", url, "--bootstrap.keys", KEYS];
          const first = bootstrap(data, ...flags);
          await started;
          const second = await bootstrap(data, ...flags);
          assert.equal(second.status, 1);
          assert.match(second.stderr, /another process has it open; stop that process or choose another --data-dir/);
          finish();
          const { status, stderr } = await first;
          assert.equal(status, 0, stderr);
          assert.deepEqual(readdirSync(data), ["chain"]);
        },
        ({ url }, response) => {
          if (!url!.endsWith(".zip")) return false;
          const content = readFileSync(join(folder("long", "site"), url!));
          response.write(content.subarray(0, 5000), start);
          finish = () => response.end(content.subarray(5000));
          return true;
        },
      ),
    );
  });

  it("goes through a proxy, for the indexes and the archive", async () => {
    await withFolder((data) =>
      withSite([folder("rewards", "site")], async ({ url, requests }) => {
        const tunnels = new Set<string>();
        const proxy = createServer().on("connect", ({ url: target }, socket) => {
          tunnels.add(target!);
          const upstream = connect(Number(new URL(url).port), "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
            upstream.pipe(socket).pipe(upstream);
          });
          for (const [one, other] of [
            [socket, upstream],
            [upstream, socket],
          ] as const) {
            one.on("error", () => other.destroy());
          }
        });
        await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
        const flags = ["--bootstrap.url", "http://state.invalid/", "--bootstrap.keys", KEYS];
        const { status, stderr } = await throughProxy(proxy, () => bootstrap(data, ...flags));
        assert.equal(status, 0, stderr);
        assert.deepEqual([...tunnels], ["state.invalid:80"]);
        assert.equal(requests.length, 4);
      }),
    );
  });

  it("installs nothing from a site with a fault, and names it", async () => {
    const faults: [set: string, reason: RegExp][] = [
      ["no-quorum", /no archive is listed by 2 of the 3 signers/],
      ["one-signer-copied", /1 signatures are valid, expected at least 2/],
      ["archive-hash-mismatch", /is not the expected file: its SHA-256 is/],
      ["archive-missing", /cannot download .*: the server answered with status 404/],
      ["height-differs-from-archive", /its newest block is 8, the index announces 9/],
    ];
    for (const [set, reason] of faults) {
      await withFolder((data) =>
        withSite([folder("index", set), folder("index")], async ({ url }) => {
          const { status, stderr } = await bootstrap(data, "--bootstrap.url", url, "--bootstrap.keys", KEYS);
          assert.equal(status, 1, set);
          assert.match(stderr, reason, set);
        }),
      );
    }
  });

  it("names what is missing: signers, an address, the internet", async () => {
    await withFolder(async (data) => {
      const unknown = await bootstrap(data);
      assert.match(
        unknown.stderr,
        /^node-cli: no published state of the network \S+ is known: give its address with --boot/,
      );
      const url = `http://127.0.0.1:${await freePort()}/`;
      const unreachable = await bootstrap(data, "--bootstrap.url", url, "--bootstrap.keys", KEYS);
      assert.match(
        unreachable.stderr,
        /^node-cli: cannot reach http:\/\/127.0.0.1:\d+: .*; check the internet connection, or/,
      );
      assert.equal(unreachable.stderr.trim().split("\n").length, 1);

      const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 407 No\r\n\r\n"));
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      const refused = await throughProxy(proxy, () =>
        bootstrap(data, "--bootstrap.url", "http://state.invalid/", "--bootstrap.keys", KEYS),
      );
      assert.match(
        refused.stderr,
        /cannot reach http:\/\/state.invalid: fetch failed: the proxy answered with status 407;/,
      );
    });
  });
});

describe("node-cli bootstrap with an archive", () => {
  const archive = folder("contracts", "site/archive/v1/bootstrap-data.zip");
  const [, , , { sha256 }] = JSON.parse(readFileSync(folder("contracts", "archives.json"), "utf8"));

  it("installs it if it has the expected checksum, in either layout", async () => {
    for (const flags of [[], ["--state.archive"]]) {
      await withFolder(async (data) => {
        const { status, stdout, stderr } = await runCli(
          ...["bootstrap", archive, "--network", NETWORK, "--data-dir", data, "--sha256", sha256, ...flags],
        );
        assert.equal(status, 0, stderr);
        assert.match(
          stdout,
          /^installed the state after block 65 0x6aa31668.*\ntrust: whoever gave the checksum; the work of/,
        );
        const next = folder("contracts", "next.blocks.txt");
        const imported = await runCli("import", next, "--network", NETWORK, "--data-dir", data, "--json");
        assert.equal(JSON.parse(imported.stdout).imported, 15, imported.stderr);
      });
    }
  });

  it("leaves an empty chain after a fault that shows at the end only", async () => {
    await withFolder(async (data) => {
      const short = folder("contracts", "site/archive/v2-short/bootstrap-data.zip");
      const { sha256: checksum } = JSON.parse(readFileSync(folder("contracts", "archives.json"), "utf8")).at(-1);
      const refused = await runCli(
        ...["bootstrap", short, "--network", NETWORK, "--data-dir", data, "--sha256", checksum],
      );
      assert.equal(refused.status, 1);
      assert.match(
        refused.stderr,
        /it has 9 blocks, and the blocks that follow cannot be validated with fewer than 65/,
      );
      const installed = await runCli(
        ...["bootstrap", archive, "--network", NETWORK, "--data-dir", data, "--sha256", sha256],
      );
      assert.equal(installed.status, 0, installed.stderr);
    });
  });
});

describe("node-cli bootstrap export", () => {
  it("publishes the state of a node, from which another one starts", async () => {
    await withFolder(async (folderOfAll) => {
      const [first, second, site] = ["first", "second", "site"].map((name) => join(folderOfAll, name)) as [
        string,
        string,
        string,
      ];
      const archive = folder("contracts", "site/archive/v2/bootstrap-data.zip");
      const [{ sha256 }] = JSON.parse(readFileSync(folder("contracts", "archives.json"), "utf8"));
      const installed = await runCli(
        ...["bootstrap", archive, "--network", NETWORK, "--data-dir", first, "--sha256", sha256],
      );
      assert.equal(installed.status, 0, installed.stderr);
      for (const { privateKey } of keys.slice(0, 2)) {
        const file = join(folderOfAll, "key");
        writeFileSync(file, `${privateKey}\n`);
        const exported = await runCli(
          ...["bootstrap", "export", site, "--network", NETWORK, "--data-dir", first, "--key-file", file],
        );
        assert.equal(exported.status, 0, exported.stderr);
        assert.match(exported.stdout, /^exported the state after block 65 to /);
      }
      await withSite([site], async ({ url }) => {
        const { status, stderr } = await bootstrap(second, "--bootstrap.url", url, "--bootstrap.keys", KEYS);
        assert.equal(status, 0, stderr);
        const next = folder("contracts", "next.blocks.txt");
        const imported = await runCli("import", next, "--network", NETWORK, "--data-dir", second, "--json");
        assert.equal(JSON.parse(imported.stdout).imported, 15, imported.stderr);
      });
    });
  });
});
