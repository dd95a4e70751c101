import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { runCli, withFolder } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";

const BLOCKS = gzipSync(readFileSync(vectorPath("chains", "transfers.blocks.txt")));
const SHA256 = createHash("sha256").update(BLOCKS).digest("hex");
const WRONG = "00".repeat(32);

function bootstrap(source: string, folder: string, ...flags: string[]) {
  return runCli("bootstrap", source, "--network", "local", "--data-dir", folder, ...flags);
}

/** Serves the responses of `answer` while `use` runs, which receives the URL of a block file. */
async function withServer<T>(answer: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/blocks.txt.gz`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Answers a request for a range with the rest of the file. */
function serveRange(...[{ headers }, response]: Parameters<RequestListener>): void {
  const start = Number(headers.range?.match(/^bytes=(\d+)-$/)?.[1] ?? 0);
  const range = { "content-range": `bytes ${start}-${BLOCKS.length - 1}/${BLOCKS.length}` };
  if (start >= BLOCKS.length) response.writeHead(416, { "content-range": `bytes */${BLOCKS.length}` }).end();
  else response.writeHead(start > 0 ? 206 : 200, start > 0 ? range : {}).end(BLOCKS.subarray(start));
}

describe("node-cli bootstrap", () => {
  it("imports a file whose checksum is given or stands beside it, and no other", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "blocks.txt.gz");
      const data = join(folder, "data");
      writeFileSync(file, BLOCKS);
      const unknown = await bootstrap(file, data);
      assert.match(
        unknown.stderr,
        /^node-cli: no checksum of .*blocks.txt.gz: give it with --sha256, or in a file next to it/,
      );
      const wrong = await bootstrap(file, data, "--sha256", WRONG);
      assert.equal(wrong.status, 1);
      assert.match(wrong.stderr, new RegExp(`its SHA-256 is ${SHA256}, expected ${WRONG}; nothing was imported\n$`));
      assert.match((await bootstrap(file, data, "--sha256", "12")).stderr, /'12' for --sha256: expected 64 hex/);
      writeFileSync(`${file}.sha256`, `${SHA256}  blocks.txt.gz\n`);
      const { status, stdout, stderr } = await bootstrap(file, data, "--json");
      assert.equal(status, 0, stderr);
      assert.equal(JSON.parse(stdout).imported, 60);
    });
  });

  it("downloads, and continues after a lost connection where it ended", async () => {
    const ranges: (string | undefined)[] = [];
    const answer: RequestListener = (request, response) => {
      ranges.push(request.headers.range);
      if (ranges.length > 1) return serveRange(request, response);
      response.writeHead(200, { "content-length": BLOCKS.length });
      response.write(BLOCKS.subarray(0, 5000), () => response.socket!.end());
    };
    await withFolder((folder) =>
      withServer(answer, async (url) => {
        assert.match(
          (await bootstrap(url, folder)).stderr,
          /is not encrypted and .*: give its checksum with --sha256\n$/,
        );
        const { status, stdout, stderr } = await bootstrap(url, folder, "--sha256", SHA256.toUpperCase(), "--json");
        assert.equal(status, 0, stderr);
        assert.equal(JSON.parse(stdout).imported, 60);
        assert.deepEqual(ranges, [undefined, "bytes=5000-"]);
        assert.deepEqual(readdirSync(folder), ["chain"]);
      }),
    );
  });

  it("downloads into a folder once at a time, and imports into a database that has no entry yet", async () => {
    await withFolder(async (folder) => {
      let second: ReturnType<typeof bootstrap> | undefined;
      const answer: RequestListener = async ({ headers }, response) => {
        second ??= bootstrap(`http://${headers.host}/blocks.txt.gz`, folder, "--sha256", SHA256);
        await second;
        response.end(BLOCKS);
      };
      const first = await withServer(answer, (url) => bootstrap(url, folder, "--sha256", SHA256));
      assert.equal(first.status, 0, first.stderr);
      assert.match((await second!).stderr, /another process has it open; stop that process/);
    });
  });

  it("does not download again what has arrived, and starts anew where a server cannot continue", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, `bootstrap-${SHA256}`);
      for (const [present, answer] of [
        [BLOCKS, serveRange],
        [BLOCKS.subarray(0, 100), (_, response) => response.end(BLOCKS)],
        [Buffer.concat([BLOCKS, BLOCKS]), serveRange],
      ] as [Buffer, RequestListener][]) {
        writeFileSync(file, present);
        const { status, stderr } = await withServer(answer, (url) => bootstrap(url, folder, "--sha256", SHA256));
        assert.equal(status, 0, stderr);
      }
    });
  });

  it("deletes a download with another checksum, and names what the server answers", async () => {
    await withFolder((folder) =>
      withServer(
        (request, response) =>
          request.url === "/blocks.txt.gz" ? serveRange(request, response) : response.writeHead(404).end(),
        async (url) => {
          const wrong = await bootstrap(url, folder, "--sha256", WRONG);
          assert.match(
            wrong.stderr,
            new RegExp(`^node-cli: ${url} is not the expected file: its SHA-256 is ${SHA256}`),
          );
          assert.deepEqual(readdirSync(folder), ["chain"]);
          const missing = await bootstrap(`${url}.zst`, folder, "--sha256", WRONG);
          assert.match(missing.stderr, /^node-cli: cannot download .*: the server answered with status 404; /);
        },
      ),
    );
  });
});
