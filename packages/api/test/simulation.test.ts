import assert from "node:assert/strict";
import { EvmError, type ExceptionKind, type LocalCall } from "@cambium/evm";
import { fromHex, toData, toHex } from "@cambium/primitives";
import { CONTRACT, FakeChain, RICH } from "@cambium/test-utils/api/fake-chain";
import type { ApiParts } from "../src/api.js";
import type { ApiConfig } from "../src/config.js";
import { apiOver, ask } from "./support/service.js";

const ERROR_BAD = `0x08c379a0${"20".padStart(64, "0")}${"3".padStart(64, "0")}${"626164".padEnd(64, "0")}`;
const to = toData(CONTRACT);
const PREFIX = "VM Exception while processing transaction:";

describe("eth_call", () => {
  const chain = new FakeChain();
  chain.extend();
  let service = apiOver(chain);
  let seen: LocalCall | undefined;

  beforeEach(() => {
    forgetAnswers();
    seen = undefined;
    chain.onCall = (call) => {
      seen = call;
      return { output: Uint8Array.of(0xbe, 0xef) };
    };
  });

  /** Answers are kept while the best block is the same. */
  function forgetAnswers(): void {
    service = apiOver(chain);
  }

  async function failure(outcome: ReturnType<FakeChain["onCall"]>): Promise<unknown> {
    forgetAnswers();
    chain.onCall = () => outcome;
    return ask(service, "eth_call", { to }, "latest").then(
      () => assert.fail("succeeded"),
      (error) => error,
    );
  }

  it("returns the output, with defaults for absent members", async () => {
    assert.equal(await ask(service, "eth_call", { to }), "0xbeef");
    assert.deepEqual(seen, {
      from: new Uint8Array(20),
      isAnonymous: true,
      to: CONTRACT,
      data: new Uint8Array(0),
      value: 0n,
      gasPrice: 0n,
      gas: undefined,
      gasLimit: 10_000_000n,
    });
    forgetAnswers();
    chain.onCall = () => ({ output: null });
    assert.equal(await ask(service, "eth_call", { to }), "0x");
  });

  it("refuses data and input that differ, and ignores null and unknown members", async () => {
    await assert.rejects(ask(service, "eth_call", { to, data: "0x01", input: "0x02" }), {
      code: -32602,
      message: "data and input differ; send one of them",
    });
    const call = { to, data: "0x02", input: "0x02", from: toData(RICH), value: "0x5", gas: "0xc350", gasPrice: null };
    await ask(service, "eth_call", { ...call, type: "0x2", accessList: [], chainId: "0x21", nonce: "0x1" }, "0x1");
    assert.equal(toHex(seen!.data), "02");
    assert.equal(seen!.gasLimit, 50_000n);
    assert.equal(seen!.value, 5n);
  });

  it("executes a creation if there is no receiver", async () => {
    await ask(service, "eth_call", { data: "0x6000" });
    assert.equal(seen!.to.length, 0);
  });

  it("has no gas cap if none is configured", async () => {
    await ask(apiOver(chain, { callGasCap: 0 }), "eth_call", { to });
    assert.equal(seen!.gasLimit, 0x5af3107a4000n);
    await ask(apiOver(chain, { callGasCap: 0 }), "eth_call", { to, gas: `0x${"ff".repeat(32)}` });
    assert.equal(seen!.gasLimit, BigInt(Number.MAX_SAFE_INTEGER));
  });

  it("reports reverts with their payload and reason", async () => {
    const cases: [string, string][] = [
      [ERROR_BAD, "revert bad"],
      ["0x", "transaction reverted"],
      ["0x4e487b71", "transaction reverted"],
      [ERROR_BAD.slice(0, 100), "transaction reverted"],
      [ERROR_BAD.replace("20", "ff"), "transaction reverted"],
      [`0x08c379a0${"ff".repeat(64)}`, "transaction reverted"],
    ];
    for (const [data, text] of cases) {
      const outcome = { reverted: true, status: 0 as const, output: fromHex(data) };
      assert.deepEqual(await failure(outcome), {
        code: -32015,
        message: `${PREFIX} ${text} (execution reverted)`,
        data,
      });
    }
    assert.deepEqual(await failure({ reverted: true, status: 0, output: null }), {
      code: -32015,
      message: `${PREFIX} transaction reverted (execution reverted)`,
      data: "0x",
    });
  });

  it("reports other failures without a payload", async () => {
    const reasons: Record<ExceptionKind, string> = {
      "out-of-gas": "out of gas",
      "invalid-opcode": "invalid opcode",
      "bad-jump": "invalid jump destination",
      "stack-underflow": "stack underflow",
      "stack-overflow": "stack limit reached 1024 (stack overflow)",
      "invalid-gas": "out of gas",
      "static-violation": "write protection",
      "contract-error": "precompiled contract failed",
      other: "return data out of bounds",
    };
    for (const [kind, reason] of Object.entries(reasons)) {
      const exception = { kind: kind as ExceptionKind, message: "return data out of bounds" };
      assert.deepEqual(await failure({ status: 0, exception }), { code: -32015, message: `${PREFIX} ${reason}` });
    }
    const exception = { kind: "other" as const, message: "code too long" };
    assert.deepEqual(await failure({ status: 0, exception }), {
      code: -32015,
      message: `${PREFIX} contract code rejected`,
    });
    chain.onCall = () => {
      throw new EvmError({ code: "INTERNAL_ERROR", reason: "out of gas" });
    };
    await assert.rejects(ask(service, "eth_call", { to }), {
      code: -32015,
      message: `${PREFIX} precompiled contract failed`,
    });
  });

  it("returns no output of a failed execution like the deployed client, but the error of a revert", async () => {
    const deployed = () => apiOver(chain, { compatibility: "deployed" });
    chain.onCall = () => ({ status: 0, exception: { kind: "contract-error", message: "no such method" } });
    assert.equal(await ask(deployed(), "eth_call", { to }), "0x");
    chain.onCall = () => {
      throw new EvmError({ code: "INTERNAL_ERROR", reason: "out of gas" });
    };
    assert.equal(await ask(deployed(), "eth_call", { to }), "0x");
    chain.onCall = () => ({ status: 0, reverted: true, output: null });
    await assert.rejects(ask(deployed(), "eth_call", { to }), { code: -32015, data: "0x" });
  });

  it("rejects gas below the intrinsic gas", async () => {
    const tooLow = { code: -32000, message: "intrinsic gas too low" };
    await assert.rejects(ask(service, "eth_call", { to, gas: "0x5207" }), tooLow);
    await assert.rejects(ask(service, "eth_call", { to, gas: "0x5208", data: "0x01" }), tooLow);
    await assert.rejects(ask(service, "eth_call", { gas: "0x5208" }), tooLow);
    assert.equal(await ask(service, "eth_call", { to, gas: "0x5208" }), "0xbeef");
  });

  it("rejects a value above the balance, overrides, and malformed calls", async () => {
    await assert.rejects(ask(service, "eth_call", { from: to, to, value: "0x1" }), {
      code: -32000,
      message: "insufficient funds for transfer",
    });
    const withoutOverrides = apiOver(chain, { allowCallStateOverride: false });
    await assert.rejects(ask(withoutOverrides, "eth_call", { to }, "latest", { [to]: { balance: "0x1" } }), {
      code: -32602,
      message: "State override is not allowed",
    });
    assert.equal(await ask(service, "eth_call", { to }, "latest", {}), "0xbeef");
    for (const call of [null, "0x", [], { to: "0x" }, { to, gas: "much" }, { to, data: 5.5 }, { to, nonce: [] }]) {
      await assert.rejects(ask(service, "eth_call", call), { code: -32602 });
    }
    await assert.rejects(ask(service, "eth_call", { to }, "0x77"), {
      code: -32600,
      message: "Block 0x77 not found",
    });
  });
});

describe("eth_estimateGas", () => {
  it("reports the payload of a revert", async () => {
    const chain = new FakeChain();
    chain.onCall = () => ({ status: 0, reverted: true, output: fromHex(ERROR_BAD) });
    const error = { code: -32015, message: `${PREFIX} revert bad (execution reverted)`, data: ERROR_BAD };
    await assert.rejects(ask(apiOver(chain), "eth_estimateGas", { to }), error);
  });

  it("fails if the execution does, except for the deployed client", async () => {
    const chain = new FakeChain();
    chain.onCall = () => ({ status: 0, maxGasUsed: 50_000, exception: { kind: "bad-jump", message: "bad jump" } });
    const error = { code: -32000, message: "invalid jump destination" };
    await assert.rejects(ask(apiOver(chain), "eth_estimateGas", { to }), error);
    assert.equal(await ask(apiOver(chain, { compatibility: "deployed" }), "eth_estimateGas", { to }), "0xc350");
  });

  it("is bounded by the gas limit of the pending block, and by what is configured", async () => {
    const chain = new FakeChain();
    let gasLimit = 0n;
    chain.onCall = (call) => {
      gasLimit = call.gasLimit;
      return { maxGasUsed: 21_000 };
    };
    const tried = async (changes: Partial<ApiConfig>, parts: Partial<ApiParts>, call: object = {}) => {
      await ask(apiOver(chain, changes, parts), "eth_estimateGas", { to, ...call });
      return Number(gasLimit);
    };
    const pending = { pendingGasLimit: () => 9_000_000 };
    assert.equal(await tried({}, pending), 9_000_000);
    assert.equal(await tried({}, pending, { gas: "0xffffffff" }), 9_000_000);
    assert.equal(await tried({}, {}), Number(chain.blocks[0]!.header.gasLimitValue));
    assert.equal(await tried({ gasEstimationCap: 50_000 }, pending), 50_000);
  });

  it("ignores gas that no execution can start with", async () => {
    const chain = new FakeChain();
    chain.onCall = ({ gasLimit }) => ({ maxGasUsed: Number(gasLimit) });
    const estimate = (gas: string) => ask(apiOver(chain), "eth_estimateGas", { to, gas }).then(Number);
    assert.equal(await estimate("0x0"), 6_800_000);
    assert.equal(await estimate("0x5207"), 6_800_000);
    assert.equal(await estimate("0x5208"), 21_000);
  });

  it("needs no funds of a sender that is not named", async () => {
    const chain = new FakeChain();
    const rich = { to, value: "0xde0b6b3a7640000", gasPrice: "0x1" };
    chain.onCall = () => ({ maxGasUsed: 21_000, output: Uint8Array.of(1) });
    assert.equal(await ask(apiOver(chain), "eth_estimateGas", rich), "0x5208");
    assert.equal(await ask(apiOver(chain), "eth_call", rich), "0x01");
    const poor = { ...rich, from: toData(new Uint8Array(20)) };
    const error = { code: -32000, message: "insufficient funds for transfer" };
    await assert.rejects(ask(apiOver(chain), "eth_estimateGas", poor), error);
    await assert.rejects(ask(apiOver(chain), "eth_call", poor), error);
  });

  it("is what the largest transaction can have if the formula says more and that suffices", async () => {
    const chain = new FakeChain();
    const parts = { pendingGasLimit: () => 9_000_000 };
    const estimate = () => ask(apiOver(chain, {}, parts), "eth_estimateGas", { to }).then(Number);
    chain.onCall = () => ({ maxGasUsed: 8_000_000 });
    assert.equal(await estimate(), 6_800_000);
    const exact = apiOver(chain, { compatibility: "specification" }, parts);
    assert.equal(Number(await ask(exact, "eth_estimateGas", { to })), 8_000_000);
    const exception = { kind: "out-of-gas" as const, message: "out of gas" };
    chain.onCall = ({ gasLimit }) => (gasLimit < 7_000_000n ? { status: 0, exception } : { maxGasUsed: 8_000_000 });
    assert.equal(await estimate(), 8_000_000);
    chain.onCall = () => ({ maxGasUsed: 6_800_000 });
    assert.equal(await estimate(), 6_800_000);
  });

  it("is not bounded by a block under the deployed client's rules", async () => {
    const chain = new FakeChain();
    let gasLimit = 0n;
    chain.onCall = (call) => {
      gasLimit = call.gasLimit;
      return { maxGasUsed: 21_000 };
    };
    const tried = async (changes: Partial<ApiConfig>, call: object = {}) => {
      const service = apiOver(
        chain,
        { compatibility: "deployed", ...changes },
        {
          pendingGasLimit: () => 3_000_000,
        },
      );
      await ask(service, "eth_estimateGas", { to, ...call });
      return Number(gasLimit);
    };
    assert.equal(await tried({}), 6_800_000);
    assert.equal(await tried({}, { gas: "0xffffffff" }), 6_800_000);
    assert.equal(await tried({}, { gas: "0x2dc6c0" }), 6_800_000);
    assert.equal(await tried({ gasEstimationCap: 9_000_000 }), 9_000_000);
  });
});
