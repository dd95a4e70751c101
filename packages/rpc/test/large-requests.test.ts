import assert from "node:assert/strict";
import { nextTurn } from "@cambium/api";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { ClientRateLimiter } from "../src/rate-limit/client-rate-limiter.js";
import { dispatcherOver, SILENT } from "./support/service.js";

const ADDRESS = `0x${"11".repeat(20)}`;
const CHAIN_ID = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };

const trace = {
  enabled: true,
  version: "1.0",
  timeout: 0,
  enabledMethods: [],
  disabledMethods: [],
  methodTimeouts: {},
};
const dispatcher = dispatcherOver(new FakeChain(), { modules: { eth: trace, trace } });

async function answer(text: string) {
  const { status, body } = await dispatcher.handleText(text);
  return { status, ...JSON.parse(body!) };
}

/** Returns an answer without the request's id, which shows that the request was rejected as a whole. */
function refused(message: string) {
  return { status: 400, jsonrpc: "2.0", id: null, error: { code: -32600, message } };
}

function members(count: number, name: (index: number) => string, value: unknown): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), value]));
}

const slot = (index: number) => `0x${index.toString(16).padStart(64, "0")}`;
const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`;

describe("large requests", () => {
  it("have an id of at most 1 KiB", async () => {
    const invalid = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "invalid request" } };
    for (const id of [`"${"x".repeat(1024)}"`, `"${"é".repeat(512)}"`, "1".repeat(1024)]) {
      const { body } = await dispatcher.handleText(`{"id":${id},"method":"eth_chainId"}`);
      assert.equal(body, `{"jsonrpc":"2.0","id":${id},"result":"0x21"}`);
    }
    for (const id of [
      `"${"x".repeat(1025)}"`,
      `"${"é".repeat(513)}"`,
      "1".repeat(1025),
      `"${"x".repeat(5_000_000)}"`,
    ]) {
      const text = `{"id":${id},"method":"eth_chainId"}`;
      assert.deepEqual(await answer(text), { status: 200, ...invalid });
      const batch = await dispatcher.handleText(`[${text},${JSON.stringify(CHAIN_ID)}]`);
      assert.deepEqual(JSON.parse(batch.body!), [invalid, { jsonrpc: "2.0", id: 1, result: "0x21" }]);
    }
  });

  it("are rejected before they are parsed if they have too many values", async () => {
    const inParams = (text: string) => `{"id":1,"method":"eth_chainId","params":${text}}`;
    const values = "Requests have at most 100000 values";
    const objectMembers = "Requests have at most 20000 members";
    const outside = "Requests have at most 1048576 characters outside of strings";
    for (const [text, message] of [
      [inParams(`[${"[],".repeat(1_700_000)}[]]`), values],
      [inParams(`[${"{},".repeat(1_700_000)}{}]`), values],
      [inParams(`[${"1,".repeat(2_500_000)}1]`), values],
      [inParams(`[${'"",'.repeat(1_700_000)}""]`), values],
      [inParams(JSON.stringify([members(400_000, (i) => `m${i}`, 1)])), objectMembers],
      [inParams(`[${'{"a":1},'.repeat(21_000)}1]`), objectMembers],
      [inParams("[".repeat(2_500_000) + "]".repeat(2_500_000)), "Invalid request"],
      [`{"id":1,${'"'.repeat(5_000_000)}}`, values],
      [`{"id":${"1".repeat(5_000_000)},"method":"eth_chainId"}`, outside],
      [inParams(`[${" ".repeat(5_000_000)}]`), outside],
    ] as const) {
      assert.deepEqual(await answer(text), refused(message));
    }
    // Brackets and commas in strings do not count, even next to escapes.
    const text = JSON.stringify({ ...CHAIN_ID, params: [`\\"${'[{,:"\\'.repeat(100_000)}\\`] });
    assert.equal((await answer(text)).error.code, -32602);
    assert.equal((await answer(text.slice(0, -2))).error.code, -32700);
  });

  it("override at most 1000 accounts and 10 000 cells", async () => {
    const call = async (overrides: unknown) => {
      const request = { id: 1, method: "eth_call", params: [{ to: ADDRESS }, "latest", overrides] };
      const { error, result } = await answer(JSON.stringify(request));
      return error?.message ?? result;
    };
    const accounts = (count: number) => members(count, address, {});
    const cells = (count: number) => members(count, slot, slot(1));
    assert.equal(await call(accounts(1_001)), "Too many accounts to override: 1001, at most 1000 are allowed");
    const tooMany = "Too many storage cells to override: 10001, at most 10000 are allowed";
    assert.equal(await call({ [ADDRESS]: { stateDiff: cells(10_001) } }), tooMany);
    assert.equal(
      await call({ [ADDRESS]: { state: cells(6_000) }, [address(1)]: { stateDiff: cells(4_001) } }),
      tooMany,
    );
    assert.equal(await call({ [ADDRESS]: { state: "x".repeat(4_000_000) } }), "Invalid input");
    for (const overrides of [7, { [ADDRESS]: 7 }, { [ADDRESS]: null, x: {} }]) {
      assert.match(await call(overrides), /^Invalid/, JSON.stringify(overrides));
    }
  });

  it("filter traces by at most 1000 addresses", async () => {
    const params = [{ fromAddress: Array.from({ length: 1_001 }, (_, i) => address(i)) }];
    const { error } = await answer(JSON.stringify({ id: 1, method: "trace_filter", params }));
    assert.deepEqual(error, { code: -32602, message: "Too many addresses: 1001, at most 1000 are allowed" });
  });

  it("count as several requests, before they are parsed", async () => {
    const admissionOf = (requests: number) =>
      new ClientRateLimiter({ requests, window: 3_600_000 }, SILENT, () => 0).admission({ identity: "client" })!;
    const status = async (text: string, admit: ReturnType<typeof admissionOf>) =>
      (await dispatcher.handleText(text, { admit })).status;
    const large = JSON.stringify({ ...CHAIN_ID, pad: "x".repeat(5_000_000) });
    const small = JSON.stringify(CHAIN_ID);

    const wide = admissionOf(78);
    assert.deepEqual(
      [await status(large, wide), await status(small, wide), await status(small, wide)],
      [200, 200, 429],
    );
    // Parsing this text would show that it is malformed.
    assert.equal(await status("[".repeat(5_000_000), wide), 429);

    // A text, or a batch, beyond the limit takes a whole window.
    for (const text of [large, JSON.stringify(Array(10).fill(CHAIN_ID))]) {
      const narrow = admissionOf(5);
      assert.deepEqual([await status(text, narrow), await status(small, narrow)], [200, 429]);
    }
  });

  it("are handled one after the other, with other work between them", async () => {
    let turn = 0;
    let running = true;
    const count = () => {
      turn++;
      if (running) setImmediate(count);
    };
    count();
    const text = JSON.stringify({ ...CHAIN_ID, pad: "x".repeat(50_000) });
    const turns = await Promise.all(Array.from({ length: 20 }, () => dispatcher.handleText(text).then(() => turn)));
    const slices = await Promise.all(Array.from({ length: 20 }, () => nextTurn().then(() => turn)));
    running = false;
    assert.equal(new Set(turns).size, 20);
    assert.equal(new Set(slices).size, 20);
  });
});
