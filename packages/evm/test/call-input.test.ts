import assert from "node:assert/strict";
import { fromHex, toHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import type { Tracer } from "../src/index.js";
import { rulesWithout, runBare, SELF } from "./bare-frame.js";

// The input of a call is a view of the caller's memory.

const NATIVE = "0000000000000000000000000000000001000006";
const IDENTITY = "0000000000000000000000000000000000000004";
const BB = "bb".repeat(20);
const KEY = new Uint8Array(32);

const word = (byte: string): string => byte.repeat(32);
/** MSTORE of a word of one byte. */
const store = (byte: string, offset: string): string => `7f${word(byte)}60${offset}52`;
/** CALL with all gas and the first bytes of memory. */
const call = (address: string, inSize: string, outOffset = "00", outSize = "00"): string =>
  `60${outSize}60${outOffset}60${inSize}5f5f73${address}5af150`;
const returned = (offset: string, size: string): string => `60${size}60${offset}f3`;

/** A contract that returns, logs and stores parts of its input. */
const echo: NativeContract = {
  address: fromHex(NATIVE),
  name: "echo",
  isActive: () => true,
  gas: () => 0,
  execute(data, { state, log }) {
    state.setStorageBytes(SELF, KEY, data!.subarray(0, 33));
    log({ address: SELF, topics: [data!.subarray(32)], data: data!.subarray(0, 32) });
    return data;
  },
};

describe("the input of a call", () => {
  it("stays the same while the callee calls its caller again, which writes to a memory of its own", () => {
    const outermost = `${store("11", "00")}${call(BB, "20", "40", "20")}${returned("40", "20")}`;
    // A call with input overwrites the memory: JUMPI to the JUMPDEST of that part.
    const end = (4 + outermost.length / 2).toString(16).padStart(2, "0");
    const code = `3660${end}57${outermost}5b${store("22", "00")}00`;
    const callee = `${call(toHex(SELF), "01")}5f355f52${returned("00", "20")}`;
    const { frame } = runBare(code, { codes: { [toHex(SELF)]: code, [BB]: callee } });
    assert.equal(toHex(frame.output), word("11"));
  });

  it("may overlap with the output", () => {
    const code = `${store("11", "00")}${store("22", "20")}${call(IDENTITY, "40", "20", "40")}${returned("00", "60")}`;
    assert.equal(toHex(runBare(code).frame.output), word("11") + word("11") + word("22"));
  });

  for (const [era, rules] of [
    ["", rulesWithout()],
    [" before RSKIP-197", rulesWithout("rskip197")],
  ] as const) {
    it(`does not change in what a native contract made of it${era}`, () => {
      const calls = `${store("11", "00")}${store("22", "20")}${call(NATIVE, "40")}`;
      const overwritten = `${store("33", "00")}${store("33", "20")}60405f60803e${returned("80", "40")}`;
      const { frame, state, execution } = runBare(calls + overwritten, { contracts: [echo], rules });
      assert.equal(toHex(frame.output), word("11") + word("22"));
      assert.equal(toHex(state.getStorageBytes(SELF, KEY)!), `${word("11")}22`);
      const [{ topics, data }] = execution.logs as [(typeof execution.logs)[number]];
      assert.deepEqual([toHex(topics[0]!), toHex(data)], [word("22"), word("11")]);
    });
  }

  it("is copied for tracers, which may keep it", () => {
    const inputs: Uint8Array[] = [];
    const tracer: Tracer = { enter: ({ input }) => inputs.push(input) };
    const code = `${store("11", "00")}${call(BB, "20")}${call("dd".repeat(20), "20")}${store("22", "00")}00`;
    runBare(code, { codes: { [BB]: "00" }, tracer });
    assert.deepEqual(inputs.map(toHex), ["", word("11"), word("11")]);
  });

  it("grows the memory although nothing reads it", () => {
    const size = (address: string) =>
      toHex(runBare(`${call(address, "60")}595f52${returned("00", "20")}`).frame.output);
    assert.equal(size("dd".repeat(20)), "60".padStart(64, "0"));
    assert.equal(size(IDENTITY), "60".padStart(64, "0"));
  });
});
