import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ChainError } from "@cambium/chain-store";
import { EndpointError, JsonRpcEndpoint } from "../src/json-rpc-endpoint.js";

interface Request {
  id: number;
  method: string;
  params: unknown[];
}
type Handler = (
  body: Request | Request[],
  count: number,
) => { status?: number; headers?: Record<string, string>; text?: string } | undefined;

/** A password in answers and in the URL. */
const SECRET = "an-internal-password";
const LIMITS = { timeout: 300, pauses: [1, 1], maxAnswer: 1000 };

describe("endpoint of a fork", () => {
  let server: Server;
  let endpoint: JsonRpcEndpoint;
  let handler: Handler;
  let count: number;

  before(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const answer = handler(JSON.parse(Buffer.concat(chunks).toString()), ++count);
      // A missing answer makes the connection hang.
      if (answer !== undefined) response.writeHead(answer.status ?? 200, answer.headers).end(answer.text ?? "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endpoint = new JsonRpcEndpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, LIMITS);
  });
  beforeEach(() => {
    count = 0;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const echo = ({ id, params }: Request) => ({ jsonrpc: "2.0", id, result: params[0] });
  const normal: Handler = (body) => ({
    text: JSON.stringify(Array.isArray(body) ? body.map(echo).reverse() : echo(body)),
  });
  const calls = (length: number) => Array.from({ length }, (_, i) => ({ method: "echo", params: [i] }));
  const fails = (reason: RegExp) => (error: unknown) => {
    assert(error instanceof ChainError && error.details.code === "FORK_SOURCE");
    assert.equal(error.details.source, endpoint.url);
    assert.equal(error.details.what, "echo");
    assert.match(error.details.reason, reason);
    assert.equal(error.details.reason.includes(SECRET), false);
    return true;
  };

  it("returns results in the order of the requests, in batches of bounded size", async () => {
    handler = normal;
    assert.deepEqual(
      await endpoint.batch(calls(45)),
      calls(45).map(({ params }) => params[0]),
    );
    assert.equal(count, 3);
    assert.equal(await endpoint.call("echo", "0x1"), "0x1");
  });

  it("returns the errors of single requests, and throws them for a required result", async () => {
    handler = (body) => {
      const { id } = body as Request;
      return {
        text: JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "the method does not exist" } }),
      };
    };
    const [error] = await endpoint.batch(calls(1));
    assert(error instanceof EndpointError && error.isMethodMissing);
    await assert.rejects(endpoint.call("echo"), fails(/^the endpoint refuses the request \(code -32601\)$/));
  });

  it("repeats what fails for the moment, and gives up after some attempts", async () => {
    handler = (body, count) => (count < 3 ? { status: 503 } : normal(body, count));
    assert.equal(await endpoint.call("echo", 7), 7);
    assert.equal(count, 3);
    handler = (body, count) => {
      const limited = {
        jsonrpc: "2.0",
        id: (body as Request).id,
        error: { code: -32005, message: "too many requests" },
      };
      return count < 6 ? { text: JSON.stringify(limited) } : normal(body, count);
    };
    assert.equal(await endpoint.call("echo", 8), 8);
    handler = () => ({ status: 429 });
    await assert.rejects(endpoint.call("echo"), fails(/HTTP status 429/));
    handler = (body) => {
      const { id } = body as Request;
      return { text: JSON.stringify({ id, error: { code: 429, message: SECRET } }) };
    };
    await assert.rejects(endpoint.call("echo"), fails(/^too many requests$/));
  });

  it("gives up an endpoint that does not answer, or is not there", async () => {
    handler = () => undefined;
    await assert.rejects(endpoint.call("echo"), fails(/timeout|aborted/));
    const nowhere = new JsonRpcEndpoint("http://127.0.0.1:9", LIMITS);
    await assert.rejects(nowhere.call("echo"), (error: ChainError) => error.code === "FORK_SOURCE");
  });

  it("refuses answers that are no JSON-RPC, or too large", async () => {
    const answers: [string, RegExp][] = [
      [`<html>${SECRET}</html>`, /^the endpoint's answer is not JSON \(HTTP status 200\)$/],
      ["", /not JSON/],
      [`{"id":0,"error":{"code":"${SECRET}","message":"${SECRET}"}}`, /^the endpoint refuses .* \(without a code\)$/],
      ["null", /no JSON-RPC/],
      ['{"jsonrpc":"2.0","id":5,"result":1}', /no JSON-RPC/],
      ['{"jsonrpc":"2.0","id":0}', /has no result/],
      [`"${"x".repeat(1000)}"`, /more than 1000 bytes/],
    ];
    for (const [text, reason] of answers) {
      handler = () => ({ text });
      await assert.rejects(endpoint.call("echo"), fails(reason), text.slice(0, 20));
    }
  });

  it("does not follow redirects, which could lead to other hosts of the operator's network", async () => {
    const location = `${endpoint.url}/${SECRET}`;
    for (const status of [301, 302, 307, 308]) {
      count = 0;
      handler = (body, count) => (count === 1 ? { status, headers: { location } } : normal(body, count));
      await assert.rejects(endpoint.call("echo"), fails(new RegExp(`HTTP status ${status}`)));
      assert.equal(count, 1);
    }
  });

  it("is named without keys", async () => {
    handler = () => undefined;
    const keyed = new JsonRpcEndpoint(`${endpoint.url}/v2/${SECRET}?token=${SECRET}`, LIMITS);
    await assert.rejects(keyed.call("echo"), (error: ChainError) => {
      assert.equal(error.message.includes(SECRET), false, error.message);
      assert(error.message.includes(`source=${endpoint.url}/v2/*** `));
      return true;
    });
    const named = new JsonRpcEndpoint(endpoint.url.replace("//", `//user:${SECRET}@`), LIMITS);
    await assert.rejects(named.call("echo"), fails(/contains a user name/));
  });

  it("asks one by one where there are no batches", async () => {
    const plain = new JsonRpcEndpoint(endpoint.url, LIMITS);
    handler = (body, count) =>
      Array.isArray(body)
        ? { text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}' }
        : normal(body, count);
    assert.deepEqual(await plain.batch(calls(3)), [0, 1, 2]);
    assert.equal(count, 4);
    assert.deepEqual(await plain.batch(calls(2)), [0, 1]);
    assert.equal(count, 6);
  });
});
