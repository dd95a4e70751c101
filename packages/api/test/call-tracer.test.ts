import assert from "node:assert/strict";
import { toData } from "@cambium/primitives";
import { LOGGER, SENDER } from "@cambium/test-utils/api/real-chain";
import { failureReason } from "../src/calls/simulation-failure.js";
import type { ApiConfig } from "../src/config.js";
import { failureText } from "../src/tracing/tracers/go-ethereum-texts.js";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const BRIDGE = "0x0000000000000000000000000000000001000006";
const WITH_LOG = { tracer: "callTracer", tracerConfig: { withLog: true } };
const callTo = (address: string) => `6000600060006000600073${address.slice(2)}5af1`;
/** Logs a topic. */
const log = (topic: string) => `60${topic}60006000a1`;

describe("callTracer as go-ethereum's", () => {
  const services = new Map<ApiConfig["compatibility"], RealApi>();
  let logger: string;

  before(async () => {
    for (const compatibility of ["specification", "deployed"] as const) {
      const service = await openOver({ compatibility });
      logger = toData(service.real.deploy(LOGGER));
      await service.real.mine();
      services.set(compatibility, service);
    }
  });

  const to = `0x${"12".repeat(20)}`;
  const traceIn = (mode: ApiConfig["compatibility"], code: string, options: object, members = {}): Promise<Json> => {
    const stateOverrides = { [to]: { code: `0x${code}` } };
    const request = { to, ...members };
    return services.get(mode)!.call("debug_traceCall", request, "latest", { stateOverrides, ...options });
  };
  const trace = (code: string, options: object = WITH_LOG, members = {}) =>
    traceIn("specification", code, options, members);
  const places = (frame: Json) => frame.logs?.map(({ index, position, topics }: Json) => [index, position, topics[0]]);
  const topic = (digits: string) => `0x${digits.padStart(64, "0")}`;

  it("lists a log in the frame that emitted it, with its index and position", async () => {
    const top = await trace(`${log("01")}${callTo(logger)}${log("02")}${callTo(logger)}${callTo(logger)}${log("03")}`);
    assert.deepEqual(places(top), [
      ["0x0", "0x0", topic("1")],
      ["0x2", "0x1", topic("2")],
      ["0x5", "0x3", topic("3")],
    ]);
    assert.deepEqual(places(top.calls[0]), [["0x1", "0x0", topic("42")]]);
    assert.deepEqual(places(top.calls[2]), [["0x4", "0x0", topic("42")]]);
    const alone = await trace(`${callTo(logger)}${log("02")}`, {
      tracer: "callTracer",
      withLog: true,
      onlyTopCall: true,
    });
    assert.deepEqual([places(alone), alone.calls], [[["0x1", "0x1", topic("2")]], undefined]);
  });

  it("lists no logs of frames that failed, nor of those in them", async () => {
    const top = await trace(`${log("01")}${callTo(logger)}fe`);
    assert.deepEqual([top.logs, top.calls[0].logs], [undefined, undefined]);
  });

  it("lists all logs in every outer frame in `deployed`", async () => {
    const top = await traceIn("deployed", `${log("01")}${callTo(logger)}`, WITH_LOG);
    assert.deepEqual(
      top.logs.map(({ index, position }: Json) => [index, position]),
      [
        [0, undefined],
        [1, undefined],
      ],
    );
    assert.equal(top.calls[0].logs[0].index, 1);
  });

  it("words errors as go-ethereum does", async () => {
    const error = async (code: string, compatibility: ApiConfig["compatibility"] = "specification") =>
      (await traceIn(compatibility, code, { tracer: "callTracer" })).error;
    assert.equal(await error("fe"), "invalid opcode: INVALID");
    assert.equal(await error("5b21"), "invalid opcode: opcode 0x21 not defined");
    assert.equal(await error("01"), "stack underflow (0 <=> 2)");
    assert.equal(await error("600056"), "invalid jump destination");
    assert.equal(await error("5b5f600056"), "stack limit reached 1024 (1023)");
    assert.equal(await error("6020600060003e"), "return data out of bounds");
    assert.equal(await error("60006000fd"), "execution reverted");
    assert.equal(await error("fe", "deployed"), "invalid opcode");
    assert.equal(await error("01", "deployed"), "stack underflow");
    // The creation returns 1 000 bytes of code, for which 100 000 gas are too little.
    const create = "656103e86000f36000526006601a6000f0";
    const { calls } = await trace(create, { tracer: "callTracer" }, { gas: "0x186a0" });
    assert.equal(calls[0].error, "contract creation code storage out of gas");
  });

  it("decodes the reasons of reverts, panics too", async () => {
    // Reverts with `Panic(code)`.
    const panic = (code: string) => `634e487b7160e01b5f5260${code}60045260245ffd`;
    const reason = async (code: string, mode: ApiConfig["compatibility"] = "specification") =>
      (await traceIn(mode, code, { tracer: "callTracer" })).revertReason;
    assert.equal(await reason(panic("11")), "arithmetic underflow or overflow");
    assert.equal(await reason(panic("99")), "unknown panic code: 0x99");
    assert.equal(await reason(panic("11"), "deployed"), undefined);
    // Reverts with `Error("no")`.
    const error = "6308c379a060e01b5f5260206004526002602452616e6f60f01b60445260645ffd";
    assert.equal(await reason(error), "no");
  });

  it("says `precompiled contract failed` of native contracts", async () => {
    // Nested calls of native contracts fail their caller only before RSKIP-197.
    const failure = { kind: "other", message: "bridge: INVALID_CALL selector=00000000", isNative: true } as const;
    assert.equal(failureReason(failure), "precompiled contract failed");
    assert.equal(failureText(failure), "precompiled contract failed");
    const { call } = services.get("specification")!;
    await assert.rejects(call("eth_call", { from: toData(SENDER), to: BRIDGE, data: "0x00000000" }, "latest"), {
      message: "VM Exception while processing transaction: precompiled contract failed",
    });
  });
});
