import assert from "node:assert/strict";
import type { HeavyExecutor } from "@cambium/api";
import { main } from "@cambium/config";
import { toData } from "@cambium/primitives";
import { CONTRACT, FakeChain } from "@cambium/test-utils/api/fake-chain";
import { DEFAULT_RPC_CONFIG } from "../src/index.js";
import { type HttpResponse, JSON_HEADERS, post, send } from "./support/http-client.js";
import { config, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

const CHAIN_ID = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
/** Limit in bytes for all unanswered requests together, and length of a call in characters. */
const ROOM = 1_000_000;
const CALL_LENGTH = 95_000;
/** Number of calls that fit. */
const MOST = 10;

/** Holds calls until the test lets them be answered, or their clients disconnect. */
class WaitingExecutor implements HeavyExecutor {
  readonly waiting = new Set<(result: string) => void>();

  run: HeavyExecutor["run"] = (_name, _request, deadline) =>
    new Promise((resolve, reject) => {
      this.waiting.add(resolve);
      deadline.onPassed(() => {
        this.waiting.delete(resolve);
        reject(new Error("cancelled"));
      });
    });

  answerAll(): void {
    for (const resolve of this.waiting) resolve("0x");
    this.waiting.clear();
  }

  async close(): Promise<void> {}
}

function call(id: number, length = CALL_LENGTH): string {
  const data = `0x${"00".repeat(length / 2)}`;
  return JSON.stringify({ jsonrpc: "2.0", id, method: "eth_call", params: [{ to: toData(CONTRACT), data }, "latest"] });
}

describe("requests that wait for a thread", () => {
  let heavy: WaitingExecutor;

  async function serving(use: (ports: { http: number; ws: number }) => Promise<void>): Promise<void> {
    const defaults = DEFAULT_RPC_CONFIG;
    heavy = new WaitingExecutor();
    const full = config({
      http: { ...defaults.http, port: 0, closeTimeout: 0 },
      ws: { ...defaults.ws, port: 0, enabled: true },
      connections: { ...defaults.connections, maxUnreadBytes: ROOM },
      timeout: 0,
    });
    const server = serverOver(new FakeChain(main), full, { heavy });
    const { port, ws } = await server.listen();
    try {
      await use({ http: port, ws: ws!.port });
    } finally {
      await server.close();
    }
  }

  /** Repeats a light request until a condition holds: it must be served during that time. */
  async function servedUntil(port: number, holds: () => boolean): Promise<void> {
    do {
      assert.equal((await post(port, CHAIN_ID)).json.result, "0x1e");
    } while (!holds());
  }

  it("hold no more bytes than all unanswered requests may, whatever the length of the queue", async () => {
    await serving(async ({ http }) => {
      const answers: Promise<HttpResponse>[] = [];
      let refused = 0;
      for (let id = 0; id < 2 * MOST; id++) {
        const answer = send({ port: http, headers: JSON_HEADERS, body: call(id) });
        answers.push(answer);
        const count = ({ status }: { status?: number }) => {
          if (status !== 200) refused++;
        };
        answer.then(count, count);
      }
      await servedUntil(http, () => heavy.waiting.size === MOST && refused === MOST);
      heavy.answerAll();
      const settled = await Promise.allSettled(answers);
      const statuses = settled.map((one) => (one.status === "fulfilled" ? one.value.status : 0));
      assert.equal(statuses.filter((status) => status === 200).length, MOST);
      // The bytes are returned.
      assert.equal((await post(http, { ...CHAIN_ID, pad: "x".repeat(0.9 * ROOM) })).json.result, "0x1e");
    });
  });

  it("count over WebSocket as well: the connection that has most of them makes room", async () => {
    await serving(async ({ http, ws }) => {
      const [greedy, modest] = [await WsClient.open(ws), await WsClient.open(ws)];
      modest.socket.send(call(1));
      await servedUntil(http, () => heavy.waiting.size === 1);
      for (let id = 0; id < 4; id++) greedy.socket.send(call(id, ROOM / 4));
      const { reason } = await greedy.closed;
      assert.equal(reason, "too many requests are waiting");
      await servedUntil(http, () => heavy.waiting.size === 1);
      heavy.answerAll();
      await modest.until(() => modest.others.some(({ result }) => result === "0x"));
      modest.close();
    });
  });
});
