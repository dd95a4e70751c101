import assert from "node:assert/strict";
import { METHODS as ALL_METHODS, BOOLEAN, defineMethod, NUMBER, optional, required } from "@cambium/api";
import { DatabaseError } from "@cambium/database";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { DEFAULT_RPC_CONFIG, moduleConfig } from "../src/index.js";
import { createDispatcher } from "../src/requests/dispatcher.js";
import { ask, config, dispatcherOver, type Json, modulesOver } from "./support/service.js";

const chain = new FakeChain();
chain.extend();

const METHODS = [
  defineMethod({
    name: "test_echo",
    summary: "Its arguments",
    params: [required("number", NUMBER), optional("flag", BOOLEAN, false), optional("more", NUMBER, undefined)],
    result: {},
    handler: (_modules, [number, flag, more]) => [String(number), flag, more === undefined ? null : String(more)],
  }),
  defineMethod({ name: "test_nothing", summary: "Nothing", params: [], result: {}, handler: () => undefined }),
  defineMethod({
    name: "test_fail",
    summary: "Fails",
    params: [],
    result: {},
    handler: () => {
      throw new TypeError("secret detail");
    },
  }),
  defineMethod({
    name: "test_unreadable",
    summary: "Fails like a disk",
    params: [],
    result: {},
    handler: () => {
      throw new DatabaseError({ code: "DATABASE_READ", reason: "secret path" });
    },
  }),
  defineMethod({
    name: "test_slow",
    summary: "Takes 20 ms",
    params: [],
    result: {},
    handler: () => new Promise((resolve) => setTimeout(() => resolve("done"), 20)),
  }),
];

function testDispatcher(changes = {}, module = {}, logged: object[] = []) {
  const settings = config({ modules: { test: moduleConfig(module) }, ...changes });
  const modules = modulesOver(chain, settings);
  const logger = { ...SILENT, error: (data: object) => logged.push(data) };
  return createDispatcher(modules, METHODS, logger);
}

describe("a node whose chain has failed", () => {
  it("answers no call, nor one that has begun before", async () => {
    let isFailed = false;
    const settings = config({ modules: { test: moduleConfig({}) } });
    const modules = { ...modulesOver(chain, settings), hasFailed: () => isFailed };
    const dispatcher = createDispatcher(modules, METHODS, SILENT);
    assert.equal(await ask(dispatcher, "test_nothing"), null);
    const begun = ask(dispatcher, "test_slow");
    isFailed = true;
    const calls = [begun, ask(dispatcher, "test_nothing")];
    const expected = { code: -32603, message: "The node has failed and is stopping" };
    await Promise.all(calls.map((call) => assert.rejects(call, expected)));
  });
});

describe("the log of calls", () => {
  /** Lines of one level, with those of calls that take `seconds` each. */
  async function linesOf(method: string, calls: number, seconds: number): Promise<[object, string][]> {
    const lines: [object, string][] = [];
    const write = (data: object, message: string) => lines.push([data, message]);
    const modules = modulesOver(chain, config({ timeout: 0, modules: { test: moduleConfig({ timeout: 0 }) } }));
    const dispatcher = createDispatcher(modules, METHODS, { ...SILENT, info: write, debug: write });
    const { now } = performance;
    let time = 0;
    performance.now = () => (time += seconds * 1000);
    try {
      for (let id = 0; id < calls; id++) await dispatcher.handle({ jsonrpc: "2.0", id, method });
    } finally {
      performance.now = now;
    }
    return lines;
  }

  it("names those that are slow, ten at most", async () => {
    assert.deepEqual(await linesOf("test_nothing", 3, 0.001), []);
    const lines = await linesOf("test_nothing", 30, 7);
    assert.equal(lines.length, 10);
    const [{ method, milliseconds }, message] = lines[0] as [Json, string];
    assert.deepEqual([method, message], ["test_nothing", "Slow JSON-RPC call"]);
    assert(milliseconds >= 7000);
  });

  it("names those that fail, for who wants to see them", async () => {
    const failed = [
      { method: "test_absent", reason: "METHOD_NOT_FOUND text=the method test_absent does not exist/is not available" },
      "JSON-RPC call failed",
    ];
    assert.deepEqual(await linesOf("test_absent", 1, 0), [failed]);
  });
});

describe("dispatcher", () => {
  const dispatcher = testDispatcher();
  const handle = (request: unknown): Promise<Json> => dispatcher.handle(request);
  const invalid = (id: unknown) => ({ jsonrpc: "2.0", id, error: { code: -32600, message: "invalid request" } });

  it("echoes ids of allowed types", async () => {
    for (const id of ["a", "", 0, -1, 1.5, null]) {
      assert.deepEqual(await handle({ id, method: "test_nothing" }), { jsonrpc: "2.0", id, result: null });
    }
    for (const id of [true, [], {}]) assert.deepEqual(await handle({ id, method: "test_nothing" }), invalid(null));
    assert.equal(await handle({ method: "test_nothing" }), undefined);
    assert.equal(await handle({ method: "test_unknown" }), undefined);
  });

  it("takes JSON integers by their decimal text, exactly", async () => {
    const answer = async (params: string) => {
      const { body } = await dispatcher.handleText(
        `{"id":12345678901234567890,"method":"test_echo","params":${params}}`,
      );
      return JSON.parse(body!).result?.[0];
    };
    for (const digits of ["0", "7", "9007199254740991", "9007199254740993", "12345678901234567890", "9".repeat(66)]) {
      assert.equal(await answer(`[${digits}]`), digits);
      assert.equal(await answer(` [ ${digits} , true, 900719925474099300001]`), digits);
    }
    assert.equal(await answer('["18446744073709551617", null, 18446744073709551617]'), "18446744073709551617");
    for (const other of ["1.5", "1e30", "-12345678901234567890", "[12345678901234567890]"]) {
      assert.equal(await answer(`[${other}]`), undefined, other);
    }
  });

  it("rejects values that are not requests", async () => {
    assert.deepEqual(await handle({ id: 5 }), invalid(5));
    assert.deepEqual(await handle({}), invalid(null));
    assert.deepEqual(await handle({ id: 5, method: 7 }), invalid(5));
    for (const request of [null, 5, "x", undefined, true, []]) assert.deepEqual(await handle(request), invalid(null));
    assert.deepEqual(await handle([5, [], null, { id: 1, method: "test_nothing" }]), [
      invalid(null),
      invalid(null),
      invalid(null),
      { jsonrpc: "2.0", id: 1, result: null },
    ]);
  });

  it("binds positional parameters", async () => {
    const call = async (params: unknown) => {
      const response = await handle({ id: 1, method: "test_echo", params });
      return response.result ?? response.error;
    };
    assert.deepEqual(await call(["1"]), ["1", false, null]);
    assert.deepEqual(await call(["1", null, null]), ["1", false, null]);
    assert.deepEqual(await call(["1", true, "3"]), ["1", true, "3"]);
    assert.deepEqual(await call(["1", null, "3"]), ["1", false, "3"]);
    const invalidCount = { code: -32602, message: "method parameters invalid" };
    for (const params of [undefined, null, [], ["1", true, "3", null], { number: "1" }, "1", 5, true]) {
      assert.deepEqual(await call(params), invalidCount, JSON.stringify(params));
    }
    assert.equal((await call([null])).message, "Invalid param null: value must be a valid hex or string number.");
  });

  it("hides unexpected failures from the client and logs them", async () => {
    const logged: object[] = [];
    const response = await testDispatcher({}, {}, logged).handle({ id: 1, method: "test_fail" });
    assert.deepEqual(response, { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal server error" } });
    assert.equal(logged.length, 1);
  });

  it("says that the database fails, and logs how", async () => {
    const logged: object[] = [];
    const { error }: Json = await testDispatcher({}, {}, logged).handle({ id: 1, method: "test_unreadable" });
    assert.deepEqual(error, { code: -32603, message: "The node cannot read or write its database" });
    assert.equal(logged.length, 1);
  });

  it("serves some modules only to programs on this machine", async () => {
    const served = async (host: string, keys: string[] = []) => {
      const { http, ws } = DEFAULT_RPC_CONFIG;
      const changes = { http: { ...http, host }, ws: { ...ws, enabled: true, host: "127.0.0.1" }, auth: { keys } };
      const modules = await ask(dispatcherOver(chain, changes), "rpc_modules");
      return ["debug", "trace"].map((name) => name in modules);
    };
    for (const host of ["127.0.0.1", "::1", "LocalHost"]) assert.deepEqual(await served(host), [true, true], host);
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "node.example"])
      assert.deepEqual(await served(host), [false, false]);
    assert.deepEqual(await served("127.0.0.1", ["key"]), [false, false]);
  });

  it("serves only enabled modules and methods", async () => {
    const served = async (module: object, method = "test_nothing") => {
      const response: Json = await testDispatcher({}, module).handle({ id: 1, method, params: ["surplus"] });
      return response.error.code === -32602;
    };
    assert.equal(await served({}), true);
    assert.equal(await served({ enabled: false }), false);
    assert.equal(await served({ disabledMethods: ["test_nothing"] }), false);
    assert.equal(await served({ enabledMethods: ["test_echo"] }), false);
    assert.equal(await served({ enabledMethods: ["test_nothing"] }), true);
    for (const method of ["constructor", "__proto__", "test_", "toString", "test_nothing ", ""]) {
      assert.equal(await served({}, method), false, method);
    }
  });

  it("limits the time of a method and of a whole batch", async () => {
    const slow = { id: 1, method: "test_slow" };
    const timeout = { code: -32011, message: "Execution has got timeout out." };
    const errorOf = async (changes: object, module: object) => {
      const response: Json = await testDispatcher(changes, module).handle(slow);
      return response.error;
    };
    assert.equal(await errorOf({}, {}), undefined);
    assert.equal(await errorOf({ timeout: 0 }, {}), undefined);
    assert.deepEqual(await errorOf({ timeout: 5 }, {}), timeout);
    assert.deepEqual(await errorOf({}, { timeout: 5 }), timeout);
    assert.deepEqual(await errorOf({}, { methodTimeouts: { slow: 5 } }), timeout);
    assert.equal(await errorOf({}, { timeout: 5, methodTimeouts: { slow: 0 } }), undefined);
    const quick = { id: 1, method: "test_echo", params: ["1"] };
    const batch: Json = await testDispatcher({ timeout: 200 }).handle([quick, ...Array(20).fill(slow)]);
    const results = batch.map((entry: Json) => entry.result?.[0] ?? entry.error.code);
    assert.deepEqual([results.length, results[0], results[20]], [21, "1", -32011]);
  });

  it("lets heavy requests of a batch overlap, and nothing else", async () => {
    const FIRST_OF_PAIR = ["0", "4"];
    const events: string[] = [];
    const recording = (name: `test_${string}`, isHeavy: boolean) =>
      defineMethod({
        name,
        summary: "Records when it begins and ends",
        params: [required("number", NUMBER)],
        result: {},
        isHeavy,
        handler: async (_modules, [number]) => {
          events.push(`${number} begins`);
          const next = `${Number(number) + 1} begins`;
          // Waits for the next heavy request, since a batch may pause between two.
          do await new Promise((resolve) => setImmediate(resolve));
          while (FIRST_OF_PAIR.includes(String(number)) && !events.includes(next));
          events.push(`${number} ends`);
          return String(number);
        },
      });
    const methods = [recording("test_call", true), recording("test_write", false)];
    const modules = modulesOver(chain, { modules: { test: moduleConfig() } });
    const names = ["test_call", "test_call", "test_write", "test_write", "test_call", "test_call"];
    const batch = names.map((method, i) => ({ id: i, method, params: [String(i)] }));
    const answers: Json = await createDispatcher(modules, methods, SILENT).handle(batch);
    assert.deepEqual(
      answers.map(({ id, result }: Json) => [id, result]),
      batch.map(({ id }) => [id, String(id)]),
    );
    const order = ["0 begins", "1 begins", "0 ends", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"];
    assert.deepEqual(events, [...order, "4 begins", "5 begins", "4 ends", "5 ends"]);
  });

  it("limits the total size of a batch's responses", async () => {
    const request = { id: 1, method: "test_echo", params: ["1"] };
    const { body } = await testDispatcher({ maxResponseSize: 100 }).handleText(
      JSON.stringify([request, request, request]),
    );
    const answers = JSON.parse(body!);
    assert.deepEqual(answers[0].result, ["1", false, null]);
    assert.deepEqual(answers[2].error, { code: -32011, message: "Response size limit of 100 bytes exceeded" });
  });

  it("refuses null as a request, and longer batches than the limit, for tools in a list", async () => {
    const { status, body } = await dispatcher.handleText("null");
    assert.deepEqual([status, JSON.parse(body!).error.code], [400, -32600]);
    const long = (compatibility: "specification" | "development") =>
      testDispatcher({ maxBatchRequests: 1, compatibility }).handleText('[{"id":1},{"id":2}]');
    const text = "Cannot dispatch batch requests. 1 is the max number of supported batch requests";
    const refusal = { jsonrpc: "2.0", id: null, error: { code: -32600, message: text } };
    assert.deepEqual(await long("specification"), { status: 400, body: JSON.stringify(refusal) });
    assert.deepEqual(await long("development"), { status: 400, body: JSON.stringify([refusal]) });
  });

  it("names what enables a method", async () => {
    const answers = createDispatcher(modulesOver(chain), ALL_METHODS, SILENT);
    const messageOf = async (method: string) => ((await answers.handle({ id: 1, method })) as Json).error.message;
    assert.equal(await messageOf("test_x"), "the method test_x does not exist/is not available");
    assert.match(await messageOf("mnr_submitBitcoinBlock"), /is not available: .*--miner\.server/);
    assert.match(await messageOf("admin_nodeInfo"), /is not available: .*--rpc\.modules admin/);
    assert.match(await messageOf("rsk_getStorageBytesAt"), /is not available: .*modules\.chain\.disabledMethods/);
    assert.match(await messageOf("evm_snapshot"), /is not available: only networks for development/);
  });

  it("handles requests as text", async () => {
    assert.deepEqual(await dispatcher.handleText('{"id":1,"method":"test_nothing"}'), {
      status: 200,
      body: '{"jsonrpc":"2.0","id":1,"result":null}',
    });
    assert.deepEqual(await dispatcher.handleText('[{"method":"test_nothing"}]'), { status: 204 });
    const nested = (depth: number) =>
      `{"id":1,"x":"[[{\\"","method":"test_nothing","y":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    assert.equal((await dispatcher.handleText(nested(99))).status, 200);
    assert.equal((await dispatcher.handleText(nested(100))).status, 400);
    assert.equal(
      (await dispatcher.handleText(`{"id":1,"method":"test_nothing","s":"${"[".repeat(500)}"}`)).status,
      200,
    );
  });

  it("echoes numeric ids that JavaScript would round", async () => {
    const answerTo = async (text: string) => (await dispatcher.handleText(text)).body;
    const digits = "123456789012345678901234567890";
    const end = ',"result":null}';
    for (const id of [digits, `-${digits}`, "9007199254740993", "1.50", "1e400"]) {
      const text = `{"params":[],"x":{"id":7},"y":"\\"id\\":8","id" : ${id} ,"method":"test_nothing"}`;
      assert.equal(await answerTo(text), `{"jsonrpc":"2.0","id":${id}${end}`);
    }
    const batch = `[5, {"id":1,"method":"test_nothing"},{"method":"test_nothing"}, {"\\u0069d":${digits},"method":"test_x"}]`;
    const [, one, exact] = (await answerTo(batch))!.slice(1, -1).split(/,(?={"jsonrpc)/);
    assert.equal(one, `{"jsonrpc":"2.0","id":1${end}`);
    assert(exact!.startsWith(`{"jsonrpc":"2.0","id":${digits},"error":{"code":-32601,`), exact);
    const repeated = `{"id":3,"id":${digits},"method":"test_nothing"}`;
    assert.equal(await answerTo(repeated), `{"jsonrpc":"2.0","id":${digits}${end}`);
  });
});
