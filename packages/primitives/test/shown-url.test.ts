import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fetchFailure, shownPath, shownUrl } from "../src/index.js";

const KEY = "0123456789abcdef0123456789abcdef";

describe("URLs in messages", () => {
  it("have neither user names nor passwords, queries, fragments and keys", () => {
    for (const [url, shown] of [
      ["http://127.0.0.1:4444", "http://127.0.0.1:4444"],
      ["https://node.example/", "https://node.example"],
      [`https://node.example/v2/${KEY}`, "https://node.example/v2/***"],
      [`https://node.example/${KEY}/mainnet/?key=${KEY}#${KEY}`, "https://node.example/***/mainnet/"],
      [`https://user:${KEY}@node.example:8443/rpc`, "https://node.example:8443/rpc"],
      [`nats://${KEY}@node.example:4222`, "nats://node.example:4222"],
      [`clickhouse://user:${KEY}@host:8123/feed?secure=true`, "clickhouse://host:8123/feed"],
      [
        "https://node.example/files/main-blocks-8000000.txt.gz",
        "https://node.example/files/main-blocks-8000000.txt.gz",
      ],
      [`https://node.example/files/a.gz?signature=${KEY}`, "https://node.example/files/a.gz"],
      [`HTTPS://NODE.example/%61${KEY}`, "https://node.example/***"],
      // The text is no URL, but may contain a secret.
      [`http://user:${KEY}@[node`, "http://***"],
    ] as const) {
      assert.equal(shownUrl(url), shown);
    }
    assert.equal(shownPath(`/v3/${KEY}`), "/v3/***");
  });

  it("leave paths of folders and other text alone", () => {
    for (const text of ["/home/user/.cambium/main", "C:\\chains\\a-long-name-of-a-folder", "", "local"]) {
      assert.equal(shownUrl(text), text);
    }
  });

  it("are not part of the reason for which a request failed", async () => {
    const server = createServer((_, response) => response.end(`<${KEY}>`));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const reasonOf = async (url: string): Promise<string> => {
      const request = fetch(url, { signal: AbortSignal.timeout(10_000) }).then((response) => response.json());
      return request.then(() => "none", fetchFailure);
    };
    try {
      for (const [url, reason] of [
        [`http://127.0.0.1:1/${KEY}`, /^fetch failed: bad port$/],
        [`http://user:${KEY}@127.0.0.1:${port}/`, /the URL is malformed, or contains a user name/],
        [`http://[${KEY}`, /the URL is malformed/],
        [`https://127.0.0.1:${port}/${KEY}`, /^fetch failed: TLS: wrong version number$/],
        [`http://127.0.0.1:${port}/${KEY}`, /^the answer is not JSON$/],
      ] as const) {
        const found = await reasonOf(url);
        assert.match(found, reason);
        assert(!found.includes(KEY), found);
      }
    } finally {
      server.close();
    }
    assert.match(await reasonOf(`http://127.0.0.1:${port}/${KEY}`), /^fetch failed: connect ECONNREFUSED/);
    const altnames = Object.assign(new Error(`altnames: DNS:${KEY}`), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    const failed = new TypeError("fetch failed", { cause: altnames });
    assert.equal(fetchFailure(failed), "fetch failed: ERR_TLS_CERT_ALTNAME_INVALID");
    assert.equal(fetchFailure(new DOMException("timed out", "TimeoutError")), "timed out");
  });
});
