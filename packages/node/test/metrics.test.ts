import assert from "node:assert/strict";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { fakeReadiness } from "@cambium/test-utils/api/fake-admin";
import { serveMetrics } from "../src/metrics.js";

interface Answer {
  status: number;
  body: string;
}

function get(port: number, host: string, path = "/metrics"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers: { host }, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode!, body }));
    });
    asked.on("error", reject).end();
  });
}

describe("the metrics server", () => {
  /** Serves a text that the test can delay. */
  async function serving(hosts: readonly string[], text: () => Promise<string>, use: (port: number) => Promise<void>) {
    const metrics = { contentType: "text/plain", text };
    const health = { readiness: fakeReadiness };
    const server = await serveMetrics(() => metrics, health, { host: "127.0.0.1", port: 0, hosts });
    try {
      await use(server.port);
    } finally {
      await server.close();
    }
  }

  it("checks the host that a request is addressed to, like JSON-RPC", async () => {
    await serving(
      ["node.example"],
      async () => "up 1",
      async (port) => {
        for (const host of ["localhost", "127.0.0.1:9", "[::1]:9", "node.example:1"]) {
          assert.deepEqual(await get(port, host), { status: 200, body: "up 1" }, host);
        }
        assert.deepEqual(await get(port, "evil.example"), { status: 403, body: "" });
        assert.equal((await get(port, "localhost", "/other")).status, 404);
      },
    );
  });

  it("says that the node is alive, and why it is not ready", async () => {
    await serving(
      [],
      async () => "up 1",
      async (port) => {
        assert.deepEqual(await get(port, "localhost", "/health"), { status: 200, body: '{"alive":true}' });
        const { status, body } = await get(port, "localhost", "/ready");
        assert.equal(status, 503);
        assert.deepEqual(JSON.parse(body), fakeReadiness());
      },
    );
  });

  it("says why there are no metrics yet", async () => {
    const absent = () => {
      throw new Error("installing: 10 %");
    };
    const options = { host: "127.0.0.1", port: 0, hosts: [] };
    const server = await serveMetrics(absent, { readiness: fakeReadiness }, options);
    try {
      assert.deepEqual(await get(server.port, "localhost"), { status: 503, body: "installing: 10 %\n" });
    } finally {
      await server.close();
    }
  });

  it("closes idle connections instead of refusing new ones", async () => {
    await serving(
      [],
      async () => "up 1",
      async (port) => {
        let closed = 0;
        const sockets = await Promise.all(
          Array.from({ length: 200 }, () => {
            return new Promise<Socket>((resolve) => {
              const socket = connect(port, "127.0.0.1", () => resolve(socket));
              socket.on("error", () => {}).on("close", () => closed++);
              socket.resume();
            });
          }),
        );
        assert.equal((await get(port, "localhost")).status, 200);
        while (closed < 151) await new Promise((resolve) => setTimeout(resolve, 5));
        for (const socket of sockets) socket.destroy();
      },
    );
  });

  it("collects once for all who ask at the same time, and reports a failure", async () => {
    let collections = 0;
    let end: (() => void) | undefined;
    const text = () => {
      collections++;
      return new Promise<string>((resolve) => (end = () => resolve("up 1")));
    };
    await serving([], text, async (port) => {
      let received = "";
      const socket = connect(port, "127.0.0.1").on("data", (chunk) => (received += chunk));
      socket.write("GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(8));
      while (end === undefined) await new Promise(setImmediate);
      end();
      while (received.split("up 1").length <= 8) await new Promise((resolve) => socket.once("data", resolve));
      socket.destroy();
      assert.equal(collections, 1);
    });
    await serving(
      [],
      () => Promise.reject(new Error("unreadable")),
      async (port) => {
        assert.equal((await get(port, "localhost")).status, 500);
      },
    );
  });
});
