import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import type { Tracer } from "../src/index.js";
import { runBare } from "./bare-frame.js";

const BB = "bb".repeat(20);
const CALL_BB = `6000600060006000600173${BB}5af1`;

/** Records one line per event, in order. */
function recorder(): { tracer: Tracer; lines: string[] } {
  const lines: string[] = [];
  const tracer: Tracer = {
    step: ({ name, pc, depth, gas, stack }) => lines.push(`${depth} ${pc} ${name} ${gas} [${stack().join()}]`),
    stepDone: (cost, depth) => lines.push(`${depth} cost ${cost}`),
    enter: ({ kind, hasCode, gas, value }) => lines.push(`enter ${kind} ${hasCode} ${gas} ${value}`),
    exit: ({ output, gasUsed, reverted, failure }) =>
      lines.push(`exit ${toHex(output)} ${gasUsed} ${reverted} ${failure?.kind ?? ""}`),
    selfDestruct: (_, __, amount, depth) => lines.push(`${depth} destroy ${amount}`),
    log: ({ topics }) => lines.push(`log ${topics.map(toHex).join()}`),
    deposit: (cost, failure) => lines.push(`deposit ${cost} ${failure?.message ?? ""}`),
  };
  return { tracer, lines };
}

describe("tracer", () => {
  it("reports steps before they run and their cost after", () => {
    const { tracer, lines } = recorder();
    runBare("6001600201", { gas: 100, tracer });
    assert.deepEqual(lines, [
      "enter call true 100 0",
      "0 0 PUSH1 100 []",
      "0 cost 3",
      "0 2 PUSH1 97 [1]",
      "0 cost 3",
      "0 4 ADD 94 [1,2]",
      "0 cost 3",
      "0 5 STOP 91 [3]",
      "0 cost 0",
      "exit  9 false ",
    ]);
  });

  it("reports logs when they are emitted", () => {
    const { tracer, lines } = recorder();
    runBare("604260006000a1", { gas: 10_000, tracer });
    assert.ok(lines.includes(`log ${"42".padStart(64, "0")}`), lines.join("\n"));
  });

  it("reports whether a creation's code is deposited", () => {
    // The init code `60016000f3` returns one byte.
    const create = "6460016000f36000526005601b6000f000";
    const made = recorder();
    runBare(create, { gas: 100_000, tracer: made.tracer });
    assert.ok(made.lines.includes("deposit 200 "), made.lines.join("\n"));
    const poor = recorder();
    runBare(create, { gas: 32_000 + 100, tracer: poor.tracer });
    assert.ok(poor.lines.includes("deposit 0 out of gas"), poor.lines.join("\n"));
  });

  it("reports the cost of a call after the callee, with the gas it forwards", () => {
    const { tracer, lines } = recorder();
    runBare(`${CALL_BB}00`, { gas: 100_000, tracer, codes: { [BB]: "6001" } });
    const enter = lines.findIndex((line) => line.startsWith("enter call true") && line.endsWith(" 1"));
    assert.deepEqual(
      lines.slice(enter - 1).map((line) => line.replace(/ \[.*/, "")),
      [
        "0 32 CALL 99980",
        "enter call true 90280 1",
        "1 0 PUSH1 90280",
        "1 cost 3",
        "1 2 STOP 90277",
        "1 cost 0",
        "exit  3 false ",
        "0 cost 99980",
        "0 33 STOP 90277",
        "0 cost 0",
        "exit  9723 false ",
      ],
    );
  });

  it("reports calls to accounts without code, self-destructions and failures", () => {
    const { tracer, lines } = recorder();
    runBare(`${CALL_BB}5030ff`, { gas: 100_000, tracer });
    assert.ok(lines.some((line) => line.startsWith("enter call false ")));
    assert.ok(lines.includes("0 destroy 999"));
    const failing = recorder();
    runBare("600157", { tracer: failing.tracer });
    assert.equal(failing.lines.at(-1), "exit  1000000 false stack-underflow");
    assert.equal(failing.lines.at(-2)?.startsWith("0 2 JUMPI"), true);
  });

  it("does not change the execution", () => {
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(0x5f, 0x60, 0x5b, 0x0c, 0x80, 0x90, 0x01, 0xf0, 0xf1, 0x55));
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 80 }), (bytes) => {
        const code = `5f5f5f5f5f5f5f5f${toHex(Uint8Array.from(bytes))}`;
        const plain = runBare(code, { gas: 200_000 });
        const traced = runBare(code, { gas: 200_000, tracer: recorder().tracer });
        assert.equal(traced.frame.status, plain.frame.status);
        assert.equal(traced.gasUsed, plain.gasUsed);
        assert.equal(traced.frame.failure, plain.frame.failure);
        assert.deepEqual(traced.frame.output, plain.frame.output);
        assert.deepEqual(traced.state.commit().root, plain.state.commit().root);
      }),
      { numRuns: runs(300) },
    );
  });
});
