import assert from "node:assert/strict";
import { Deadline, JsonText, type SimulationRequest } from "@cambium/api";
import { createChainEvm, openReader } from "@cambium/chain";
import { local } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { fromHex } from "@cambium/primitives";
import { COUNTER, LOOP, REWARDED, RealChain, SENDER } from "@cambium/test-utils/api/real-chain";
import { CallingThreadFirst, LOCAL_CALLS, SHARED_CALLS } from "../src/heavy/calling-thread-first.js";
import { config } from "./support/service.js";

const DEADLINE = Deadline.after(0);

async function opened(limits = LOCAL_CALLS) {
  const database = new MemoryDatabase();
  const real = await RealChain.open(database);
  const counter = real.deploy(COUNTER);
  const loop = real.deploy(LOOP);
  const { hash } = await real.mine();
  const passed: string[] = [];
  const others = {
    run: async (name: string) => {
      passed.push(name);
      return "elsewhere";
    },
    close: async () => void passed.push("close"),
  };
  let checks = 0;
  const executor = new CallingThreadFirst(others, config({}), limits, (mustEnd) => {
    const isInterrupted = (gas: number) => {
      checks++;
      return mustEnd(gas);
    };
    return openReader({ network: local, database, evm: createChainEvm(local, { isInterrupted }) });
  });
  const request = (to: Uint8Array, gas?: bigint): SimulationRequest => {
    const call = { from: SENDER, to, gas, gasPrice: 0n, value: 0n, data: fromHex("") };
    return { call, blockHash: hash, overrides: [], gasCap: 0 };
  };
  const run = async (name: "call" | "estimateGas", own: SimulationRequest) => {
    const result = await executor.run(name, own, DEADLINE);
    return result instanceof JsonText ? result.text : result;
  };
  return { executor, run, passed, request, counter, loop, checks: () => checks };
}

describe("calls in the calling thread", () => {
  it("are executed at once if they are short", async () => {
    const { run, passed, request, counter } = await opened();
    assert.equal(await run("estimateGas", request(REWARDED)), '"0x5208"');
    assert.equal(await run("call", request(counter)), '"0x"');
    assert.deepEqual(passed, []);
  });

  it("are passed on if they take long, as are all other tasks", async () => {
    const { executor, run, passed, request, counter, loop } = await opened();
    assert.equal(await run("call", request(loop)), "elsewhere");
    assert.equal(await run("estimateGas", request(REWARDED)), '"0x5208"');
    await executor.run("proof", { blockHash: request(counter).blockHash, address: counter, keys: [] }, DEADLINE);
    assert.deepEqual(passed, ["call", "proof"]);
    await executor.close();
    assert.deepEqual(passed, ["call", "proof", "close"]);
  });

  it("are passed on at once for a while, if one like them took long", async () => {
    const { run, request, loop, checks } = await opened();
    await run("call", request(loop));
    // The pause may be over if the machine stands still for a time: the next one is longer.
    for (let attempt = 0, before = -1; before !== checks(); attempt++) {
      assert.ok(attempt < 10);
      before = checks();
      assert.equal(await run("call", request(loop)), "elsewhere");
    }
  });

  it("wait for the next turn of the event loop when those before have taken their time, and are passed on if many wait", async () => {
    const { run, passed, request, loop, counter } = await opened({ ...SHARED_CALLS, turn: 1.5 });
    const many = Array.from({ length: 80 }, () => run("call", request(counter)));
    const [long, ...answers] = await Promise.all([run("call", request(loop)), ...many]);
    assert.equal(long, "elsewhere");
    const here = answers.filter((answer) => answer === '"0x"').length;
    assert.ok(here >= 64);
    assert.equal(passed.length, 1 + answers.length - here);
  });

  it("are passed on if they are on the pending block of a node with many clients", async () => {
    const { run, passed, request, counter } = await opened(SHARED_CALLS);
    const pending = { header: new Uint8Array(0), stateChanges: new Uint8Array(0) };
    await run("call", { ...request(counter), pending });
    assert.deepEqual(passed, ["call"]);
  });

  it("fail as they do elsewhere", async () => {
    // The limit is infinite, so the calls are executed in this thread even if the machine stands still.
    const { executor, request, loop } = await opened({ ...LOCAL_CALLS, call: Number.POSITIVE_INFINITY });
    await assert.rejects(executor.run("call", request(loop, 30_000n), DEADLINE), /out of gas/i);
    await assert.rejects(executor.run("call", request(loop), Deadline.after(0.001)), { code: "LIMIT_EXCEEDED" });
  });
});
