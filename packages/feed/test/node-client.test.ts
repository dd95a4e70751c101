import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { FeedError } from "../src/errors.js";
import { NodeClient } from "../src/node-client.js";

type Answer = { result: unknown } | { error: { code: number; message: string } };

const HASH = `0x${"ab".repeat(32)}`;
const OTHER = `0x${"cd".repeat(32)}`;

describe("reading blocks from a node", () => {
  let server: Server;
  let url: string;
  let answers: Record<string, Answer>;
  let authorization: string | undefined;

  before(async () => {
    server = createServer(async (request, response) => {
      authorization = request.headers.authorization;
      const calls: { id: number; method: string }[] = JSON.parse(await text(request));
      response.end(JSON.stringify(calls.map(({ id, method }) => ({ jsonrpc: "2.0", id, ...answers[method] }))));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    answers = {
      eth_getBlockByNumber: { result: { hash: HASH, transactions: [{ hash: OTHER }] } },
      eth_getBlockReceipts: { result: [{ blockHash: HASH, transactionHash: OTHER }] },
      trace_block: { result: [] },
    };
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const content = () => new NodeClient(`http://${url}`).content(7, true);

  async function failure(): Promise<FeedError["details"]> {
    const error = await content().catch((reason) => reason);
    assert(error instanceof FeedError, String(error));
    return error.details;
  }

  it("takes block, receipts and traces of one block", async () => {
    assert.equal((await content())?.block.hash, HASH);
  });

  it("takes none of them if the chain changed in between", async () => {
    answers.eth_getBlockReceipts = { result: [{ blockHash: OTHER, transactionHash: OTHER }] };
    assert.equal(await content(), undefined);
    answers.eth_getBlockReceipts = { result: null };
    assert.equal(await content(), undefined);
  });

  it("asks for a reward transaction that the block leaves out", async () => {
    answers.eth_getBlockByNumber = { result: { hash: HASH, transactions: [] } };
    answers.eth_getTransactionByHash = { result: { hash: OTHER } };
    assert.deepEqual((await content())?.block.transactions, [{ hash: OTHER }]);
  });

  it("says which module is missing, and for which table", async () => {
    answers.trace_block = { error: { code: -32601, message: "the method trace_block does not exist" } };
    assert.deepEqual(await failure(), {
      code: "METHOD_MISSING",
      method: "trace_block",
      module: "trace",
      table: "internal_calls",
    });
  });

  it("says which block has no receipts", async () => {
    answers.eth_getBlockReceipts = { error: { code: -32600, message: "not executed here" } };
    const reason = "eth_getBlockReceipts: not executed here";
    assert.deepEqual(await failure(), { code: "HISTORY_MISSING", number: 7, reason });
  });

  it("leaves errors that pass to another attempt", async () => {
    answers.trace_block = { error: { code: -32005, message: "rate limit" } };
    await assert.rejects(content(), (error) => !(error instanceof FeedError) && /rate limit/.test(String(error)));
  });

  it("sends the name and password of the address, and refuses other addresses", async () => {
    await new NodeClient(`http://ann:p%40ss@${url}`).call("eth_getBlockByNumber");
    assert.equal(authorization, `Basic ${Buffer.from("ann:p@ss").toString("base64")}`);
    assert.throws(() => new NodeClient("ws://127.0.0.1:4445"), { code: "NODE" });
    assert.throws(() => new NodeClient("4444"), { code: "NODE" });
  });
});
