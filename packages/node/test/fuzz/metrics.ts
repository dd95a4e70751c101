import assert from "node:assert/strict";
import { fakeReadiness } from "@cambium/test-utils/api/fake-admin";
import { FuzzedListener } from "@cambium/test-utils/clients/fuzzed-listener";
import { type FuzzTarget, texts } from "@cambium/test-utils/fuzz-target";
import { serveMetrics } from "../../src/metrics.js";

const SCRAPE = "GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";

let opened: Promise<FuzzedListener> | undefined;

async function open(): Promise<FuzzedListener> {
  const metrics = { contentType: "text/plain", text: async () => "up 1" };
  const health = { readiness: () => ({ ...fakeReadiness(), ready: true }) };
  const { port } = await serveMetrics(() => metrics, health, { host: "127.0.0.1", port: 0, hosts: [] });
  return new FuzzedListener(port, { request: SCRAPE, answer: "up 1" });
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Sends any bytes to the metrics server. It must answer or close the connection, and continue to serve others. */
  metrics: {
    seeds: () =>
      texts(
        SCRAPE,
        SCRAPE.repeat(3),
        SCRAPE.replace("metrics", "ready"),
        SCRAPE.replace("localhost", "evil.example"),
        "GET / HTTP/1.1\r\n\r\n",
      ),
    words: [
      "content-length: 5\r\n",
      "transfer-encoding: chunked\r\n",
      "expect: 100-continue\r\n",
      "upgrade: websocket\r\n",
    ],
    async run(input) {
      const received = await (await (opened ??= open())).exchange(input);
      assert.doesNotMatch(received, /^HTTP\/1\.1 5/m);
    },
  },
};
