import assert from "node:assert/strict";
import type { ChainReader } from "@cambium/chain";
import { toData, toQuantity } from "@cambium/primitives";
import { random } from "@cambium/test-utils/random";
import { until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import type { HeavyExecutor } from "../src/heavy/heavy-executor.js";
import { InProcessExecutor } from "../src/heavy/in-process.js";
import { DEFAULT_RPC_CONFIG, moduleConfig, PieceService, type RpcConfig, SplitExecutor } from "../src/index.js";
import { presenceBy } from "../src/requests/client.js";
import { type Piece, readPiece } from "../src/split/piece.js";
import { pieceFromText, pieceToText } from "../src/split/piece-text.js";
import type { PieceServer } from "../src/split/split-executor.js";
import { CONTRACT, FakeChain, makeLog, RICH, TOPIC_A, TOPIC_B } from "./support/fake-chain.js";
import { COUNTER, RealChain, SENDER } from "./support/real-chain.js";
import { config, dispatcherOver, type Json, SILENT } from "./support/service.js";

const BLOCKS = 300;
const THRESHOLD = 120;
const next = random(SEED);
const upTo = (limit: number) => Math.floor(next() * limit);
const oneOf = <T>(...values: readonly T[]): T => values[upTo(values.length)]!;

/** Adds blocks with up to three logs each. */
function extend(chain: FakeChain, blocks: number): void {
  for (let i = 0; i < blocks; i++) {
    const logs = Array.from({ length: upTo(4) }, () =>
      makeLog(oneOf(CONTRACT, RICH), [TOPIC_A, TOPIC_B].slice(upTo(3)), new Uint8Array(upTo(50))),
    );
    chain.extend([logs]);
  }
}

/** A node that searches pieces in a chain. */
function serverOver(chain: ChainReader, full: RpcConfig, seen: (piece: Piece) => void = () => undefined): PieceServer {
  const service = new PieceService(chain, new InProcessExecutor({ chain, config: full }));
  return {
    search: async (piece, timeout, _maxBytes, signal) => {
      seen(pieceFromText(piece));
      return service.search(piece, "a test", timeout, signal);
    },
  };
}

/** The text of the answer of a node that searches by itself, or in pieces with others. */
async function answer(
  chain: FakeChain | RealChain,
  full: RpcConfig,
  servers: readonly PieceServer[] | undefined,
  request: { method: string; params: readonly unknown[] },
  signal = new AbortController().signal,
): Promise<string | undefined> {
  const reader = chain instanceof RealChain ? chain.chain : chain.reader();
  const here = new InProcessExecutor({ chain: reader, config: full });
  const heavy: HeavyExecutor =
    servers === undefined ? here : new SplitExecutor(here, reader, full, { find: async () => servers }, THRESHOLD);
  const source = { reader: () => reader } as unknown as FakeChain;
  const dispatcher = dispatcherOver(source, full, SILENT, { heavy });
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, ...request });
  return (await dispatcher.handleText(text, { presence: presenceBy(signal) })).body;
}

const logsOf = (filter: object) => ({ method: "eth_getLogs", params: [filter] });

function randomFilter(): object {
  const from = upTo(BLOCKS - 120);
  const address = oneOf<unknown>(undefined, toData(CONTRACT), [toData(CONTRACT), toData(RICH)]);
  const topics = oneOf<unknown>([], [toData(TOPIC_A)], [null, toData(TOPIC_B)], [[toData(TOPIC_A), toData(TOPIC_B)]]);
  const toBlock = oneOf("latest", toQuantity(from + 100 + upTo(100)));
  return { fromBlock: toQuantity(from), toBlock, ...(address === undefined ? {} : { address }), topics };
}

describe("wide searches in pieces", function () {
  this.timeout(60_000);
  const chain = new FakeChain();
  const usual = config();

  before(() => extend(chain, BLOCKS));

  it("have the answers of a single node to the byte, errors of limits included", async () => {
    let cut = 0;
    for (let i = 0; i < 150; i++) {
      const logs = { ...usual.logs, maxLogs: oneOf(5, 100, 10_000), unlimitedRange: oneOf(50, 2_000) };
      const full = config({ logs, maxResponseSize: oneOf(0, 20_000, 100_000, 10_000_000) });
      const servers = Array.from({ length: 1 + upTo(3) }, () => serverOver(chain.reader(), full, () => cut++));
      const request = logsOf(randomFilter());
      assert.equal(
        await answer(chain, full, servers, request),
        await answer(chain, full, undefined, request),
        JSON.stringify(request),
      );
    }
    assert(cut > 150, `${cut}`);
  });

  it("have the traces of a single node to the byte, with its pages and limits", async () => {
    const real = await RealChain.open();
    const counter = real.deploy(COUNTER);
    for (let i = 0; i < 24; i++) {
      for (let j = upTo(3); j >= 0; j--) real.send({ to: oneOf(counter, new Uint8Array(20).fill(0x66)) });
      await real.mine();
    }
    const modules = { ...DEFAULT_RPC_CONFIG.modules, trace: moduleConfig() };
    for (let i = 0; i < 40; i++) {
      const full = config({ modules, maxResponseSize: oneOf(0, 5_000, 20_000, 10_000_000) });
      const servers = Array.from({ length: 1 + upTo(3) }, () => serverOver(real.chain, full));
      const filter = {
        fromBlock: toQuantity(1 + upTo(10)),
        toBlock: oneOf("latest", toQuantity(12 + upTo(12))),
        ...oneOf({}, { toAddress: [toData(counter)] }, { fromAddress: toData(SENDER) }),
        ...oneOf({}, { after: upTo(30) }, { count: upTo(30) }, { after: upTo(30), count: upTo(30) }),
      };
      const request = { method: "trace_filter", params: [filter] };
      assert.equal(
        await answer(real, full, servers, request),
        await answer(real, full, undefined, request),
        JSON.stringify(filter),
      );
    }
  });

  it("go on elsewhere and at last here if nodes fail, refuse, or are on another branch", async () => {
    const other = new FakeChain();
    extend(other, BLOCKS);
    let failures = 0;
    const failing = (search: PieceServer["search"]): PieceServer => ({
      search: (...args) => {
        failures++;
        return search(...args);
      },
    });
    const bad = [
      failing(() => Promise.reject(new Error("no sign of life"))),
      failing(async () => "[1,2,["),
      failing(async () => "nothing"),
      serverOver(other.reader(), usual),
    ];
    const request = logsOf({ fromBlock: "0x1" });
    const expected = await answer(chain, usual, undefined, request);
    assert.equal(await answer(chain, usual, bad, request), expected);
    assert.equal(failures, 3);
    assert.equal(await answer(chain, usual, [...bad, serverOver(chain.reader(), usual)], request), expected);
    assert.equal(await answer(chain, usual, [], request), expected);
  });

  it("begin again after a reorganisation of the range, also if only one node has seen it", async () => {
    const own = new FakeChain();
    extend(own, BLOCKS);
    let isReorganised = false;
    const server = serverOver(own.reader(), usual, () => {
      if (isReorganised) return;
      isReorganised = true;
      own.blocks.splice(BLOCKS - 20);
      extend(own, 25);
    });
    const request = logsOf({ fromBlock: "0x1", toBlock: toQuantity(BLOCKS) });
    const shown = await answer(own, usual, [server], request);
    assert(isReorganised);
    assert.equal(shown, await answer(own, usual, undefined, request));
    const shorter = serverOver(own.reader(), usual, () => own.blocks.splice(BLOCKS - 50));
    const cutOff = await answer(own, usual, [shorter], request);
    assert.equal(cutOff, await answer(own, usual, undefined, request));
  });

  it("end on all nodes when the client disconnects or its time is over", async () => {
    const ended: string[] = [];
    const hanging = (name: string): PieceServer => ({
      search: (_piece, _timeout, _maxBytes, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            ended.push(name);
            reject(new Error("given up"));
          });
        }),
    });
    const gone = new AbortController();
    const request = logsOf({ fromBlock: "0x1" });
    const answered = answer(chain, usual, [hanging("one"), hanging("two")], request, gone.signal);
    setImmediate(() => gone.abort());
    const { error } = JSON.parse((await answered)!) as Json;
    assert.equal(error.code, -32011);
    await until(async () => ended.length === 2);
    const late = await answer(chain, config({ timeout: 50 }), [hanging("three")], request);
    assert.equal((JSON.parse(late!) as Json).error.code, -32011);
    await until(async () => ended.length === 3);
  });

  it("are cut once, only from a number of blocks on, and bounded in their number", async () => {
    const seen: Piece[] = [];
    const server = serverOver(chain.reader(), usual, (piece) => seen.push(piece));
    await answer(chain, usual, [server], logsOf({ fromBlock: "0x1", toBlock: "0x77" }));
    assert.equal(seen.length, 0);
    await answer(chain, usual, [server], logsOf({ fromBlock: "0x1", toBlock: "0x78" }));
    assert(seen.length > 0);
    assert(seen.every(({ task }) => task === "logPiece"));
    for (const piece of seen) assert.deepEqual(pieceFromText(pieceToText(piece)), piece);
    const piece = seen[0] as Extract<Piece, { task: "logPiece" }>;
    const ofDatabase = { ...piece, request: { ...piece.request, tip: Buffer.from(piece.request.tip) } };
    assert.equal(pieceToText(ofDatabase), pieceToText(seen[0]!));
    for (const wrong of ["", "{}", '{"task":"logs"}', "[]", '{"task":"call","request":{}}']) {
      assert.throws(() => pieceFromText(wrong));
      assert.throws(() => readPiece(wrong));
    }
    const service = new PieceService(chain.reader(), {
      run: () => new Promise(() => undefined),
      close: async () => undefined,
    });
    const { signal } = new AbortController();
    const text = pieceToText(seen[0]!);
    for (let i = 0; i < 8; i++) void service.search(text, "a test", 1_000, signal);
    await assert.rejects(service.search(text, "a test", 1_000, signal), /too many pieces/);
    assert.equal(service.load, 8);
  });
});
