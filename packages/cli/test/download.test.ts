import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededBytes } from "@cambium/test-utils/seeded-bytes";
import { download } from "../src/download/download.js";
import { CliError } from "../src/errors.js";

const CONTENT = seededBytes(20_000);
const OTHER = seededBytes(20_000).fill(1, 0, 100);
const { signal } = new AbortController();
/** No server of these tests is so slow unless it means to. */
const minimumRate = { bytes: 1_000, milliseconds: 300 };

describe("a download", () => {
  let folder: string;
  let file: string;
  let server: Server | undefined;
  let requests: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-download-"));
    file = join(folder, "file");
    requests = [];
  });

  afterEach(async () => {
    server?.closeAllConnections();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  async function serve(answer: RequestListener, host = "127.0.0.1"): Promise<URL> {
    server = createServer((request, response) => {
      const { range, "if-range": condition } = request.headers;
      requests.push([request.url, range, condition].filter(Boolean).join(" "));
      answer(request, response);
    });
    await new Promise<void>((resolve, reject) => server!.once("error", reject).listen(0, host, resolve));
    return new URL(`http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/file`);
  }

  function get(url: URL, maxBytes = 1e6): Promise<void> {
    return download(url, file, { signal, onProgress: () => undefined, maxBytes, minimumRate, firstPause: 1 });
  }

  function isRefused(reason: RegExp) {
    return (error: unknown) =>
      error instanceof CliError && error.details.code === "DOWNLOAD" && reason.test(error.details.reason);
  }

  it("ends with an error if the server drips, in one connection or in many", async () => {
    const dripping: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write("x"), 10);
      response.once("close", () => clearInterval(timer));
    };
    await assert.rejects(get(await serve(dripping)), isRefused(/^less than 1000 bytes in 0.3 s$/));
    assert.equal(requests.length, 5);
    server!.closeAllConnections();
    server!.close();
    requests = [];
    const closing: RequestListener = (_, response) => {
      response.writeHead(200, { "content-length": CONTENT.length });
      response.write("x", () => setTimeout(() => response.socket?.end(), 50));
    };
    rmSync(file, { force: true });
    await assert.rejects(get(await serve(closing)), CliError);
    assert.equal(requests.length, 5);
  });

  it("ends with an error if the server never stops sending, or redirecting", async () => {
    const endless: RequestListener = (_, response) => {
      const more = () => response.write(CONTENT, (error) => error ?? setImmediate(more));
      more();
    };
    await assert.rejects(get(await serve(endless), 100_000), isRefused(/^it is larger than 100000 bytes$/));
    server!.closeAllConnections();
    server!.close();
    const circle = await serve((_, response) => response.writeHead(302, { location: "/again" }).end());
    requests = [];
    await assert.rejects(get(circle), isRefused(/redirects more than 5 times/));
    assert.equal(requests.length, 5 * 6);
  });

  it("follows a redirect to http or https, and to nothing else", async () => {
    const targets: Record<string, string> = {
      "/file": "/moved",
      "/elsewhere": "file:///etc/passwd",
      "/nowhere": "http://[",
    };
    const url = await serve(({ url: path }, response) => {
      const location = targets[path!];
      if (location === undefined) response.end(CONTENT);
      else response.writeHead(308, { location }).end();
    });
    await get(url);
    assert.deepEqual(new Uint8Array(readFileSync(file)), CONTENT);
    for (const path of ["/elsewhere", "/nowhere"]) {
      await assert.rejects(get(new URL(path, url)), isRefused(/redirects to an address that is not https/));
    }
  });

  it("starts again if the file changes between two connections", async () => {
    const begin = (response: Parameters<RequestListener>[1]) => {
      response.writeHead(200, { "content-length": CONTENT.length, etag: '"one"' });
      response.write(CONTENT.subarray(0, 5_000), () => response.socket!.end());
    };
    const rest = (total: number, etag: string) => ({ "content-range": `bytes 5000-${total - 1}/${total}`, etag });
    const seconds: Record<string, RequestListener> = {
      "sends all": (_, response) => response.writeHead(200, { etag: '"two"' }).end(OTHER),
      "another ETag": (_, response) => response.writeHead(206, rest(OTHER.length, '"two"')).end(OTHER.subarray(5_000)),
      "another length": (_, response) => response.writeHead(206, rest(30_000, "W/weak")).end(OTHER.subarray(5_000)),
    };
    for (const [name, second] of Object.entries(seconds)) {
      rmSync(file, { force: true });
      const url = await serve((request, response) => {
        if (requests.length === 1) begin(response);
        else if (requests.length === 2) second(request, response);
        else response.end(OTHER);
      });
      requests = [];
      await get(url);
      assert.deepEqual(new Uint8Array(readFileSync(file)), OTHER, name);
      assert.equal(requests[1], '/file bytes=5000- "one"', name);
      server!.closeAllConnections();
      server!.close();
    }
  });

  it("says what to do if the disk is full", async function () {
    if (!existsSync("/dev/full")) this.skip();
    symlinkSync("/dev/full", file);
    const url = await serve((_, response) => response.end(CONTENT));
    await assert.rejects(get(url), {
      details: {
        code: "FILE_UNWRITABLE",
        path: file,
        reason: "the disk is full; free some space, then run the command again",
      },
    });
  });

  describe("of an operator behind a proxy", () => {
    const variables = [
      "HTTP_PROXY",
      "http_proxy",
      "HTTPS_PROXY",
      "https_proxy",
      "ALL_PROXY",
      "all_proxy",
      "NO_PROXY",
      "no_proxy",
    ];
    let before: [string, string | undefined][];

    beforeEach(() => {
      before = variables.map((name) => [name, process.env[name]]);
      for (const name of variables) delete process.env[name];
    });

    afterEach(() => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });

    it("goes through HTTP_PROXY, but not to the hosts in NO_PROXY", async () => {
      const url = await serve((_, response) => response.end(CONTENT));
      const tunnels: string[] = [];
      const proxy = createServer().on("connect", ({ url: target }, socket) => {
        tunnels.push(target!);
        const upstream = connect(Number(url.port), "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          upstream.pipe(socket).pipe(upstream);
        });
        socket.on("error", () => upstream.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      process.env.HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      process.env.NO_PROXY = "127.0.0.1,example.org";
      try {
        await get(new URL("http://published.invalid/file"));
        assert.deepEqual(new Uint8Array(readFileSync(file)), CONTENT);
        assert.deepEqual(tunnels, ["published.invalid:80"]);
        rmSync(file);
        await get(url);
        assert.equal(tunnels.length, 1);
        process.env.HTTP_PROXY = "ftp://user:secret@proxy";
        rmSync(file);
        await assert.rejects(get(new URL("http://published.invalid/file")), isRefused(/^the proxy in HTTPS_PROXY or/));
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    });
  });

  it("works with the literal of an IPv6 address", async function () {
    let url: URL;
    try {
      url = await serve((_, response) => response.end(CONTENT), "::1");
    } catch {
      return this.skip();
    }
    await get(url);
    assert.deepEqual(new Uint8Array(readFileSync(file)), CONTENT);
  });
});
