import assert from "node:assert/strict";
import { EMPTY_BYTES, EMPTY_TRIE_ROOT, fromHex, toHex } from "@cambium/primitives";
import { JournaledState, openState } from "@cambium/state";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { executeEthereum } from "../src/ethereum/index.js";
import { type EthereumHardfork, EvmError, ethereumHardfork, type TracedStep, type Tracer } from "../src/index.js";

const SENDER = fromHex("11".repeat(20));
const CONTRACT = fromHex("22".repeat(20));
const COINBASE = fromHex("33".repeat(20));
const FUNDS = 10n ** 18n;
const PARENT = fromHex("44".repeat(32));

const BLOCK = {
  number: 8_000_000,
  timestamp: 1_700_000_000n,
  parentHash: PARENT,
  coinbase: COINBASE,
  difficulty: 5n,
  gasLimit: 6_800_000n,
  minimumGasPrice: 0n,
  ancestors: {
    hash: (number: number) => (number === 7_999_999 ? PARENT : undefined),
    header: () => undefined,
    uncles: () => undefined,
    totalDifficulty: () => undefined,
  },
};

interface Case {
  code?: string;
  data?: string;
  to?: Uint8Array;
  gasLimit?: bigint;
  gasPrice?: bigint;
  value?: bigint;
  cells?: Record<string, string>;
  tracer?: Tracer;
}

/** Executes a transaction to a contract with some code. */
async function run(hardfork: EthereumHardfork, { code = "", data = "", cells = {}, tracer, ...call }: Case) {
  const state = new JournaledState(openState(new MemoryStore(), EMPTY_TRIE_ROOT));
  state.addBalance(SENDER, FUNDS);
  if (code.length > 0) {
    state.markContract(CONTRACT);
    state.setCode(CONTRACT, fromHex(code));
  }
  for (const [slot, value] of Object.entries(cells)) state.setStorage(CONTRACT, BigInt(slot), BigInt(value));
  const outcome = await executeEthereum(
    { from: SENDER, to: CONTRACT, data: fromHex(data), value: 0n, gasPrice: 0n, gasLimit: 200_000n, ...call },
    { hardfork, chainId: 30, block: BLOCK, state, ...(tracer ? { tracer } : {}) },
  );
  return { outcome, state };
}

const gasOf = async (hardfork: EthereumHardfork, given: Case) => (await run(hardfork, given)).outcome.gasUsed;
/** Returns the word on the stack. */
const RETURN = "60005260206000f3";

describe("execution under the rules of Ethereum", () => {
  it("charges what the hard fork charges before the execution", async () => {
    const to = fromHex("55".repeat(20));
    const data = "00".repeat(10) + "01".repeat(1000);
    assert.equal(await gasOf("homestead", { to }), 21_000);
    assert.equal(await gasOf("petersburg", { to, data }), 21_000 + 40 + 68_000);
    assert.equal(await gasOf("istanbul", { to, data }), 21_000 + 40 + 16_000);
    // EIP-7623: ten for each of 4 010 tokens.
    assert.equal(await gasOf("prague", { to, data }), 21_000 + 40_100);
    // EIP-3860: two for each word of init code, which is one STOP.
    const creation = { to: EMPTY_BYTES, data: "00" };
    assert.equal(await gasOf("paris", creation), 53_000 + 4);
    assert.equal(await gasOf("shanghai", creation), 53_000 + 4 + 2);
  });

  it("prices cold and warm cells, and refunds", async () => {
    // SLOAD of one cell, twice.
    const twice = { code: "600054506000545000" };
    assert.equal(await gasOf("istanbul", twice), 21_000 + 2 * (3 + 800 + 2));
    assert.equal(await gasOf("berlin", twice), 21_000 + 2 * 5 + 2_100 + 100);
    // Clears a cell: at most a fifth is refunded since London.
    const clear = { code: "600060005500", cells: { "0": "1" } };
    assert.equal(await gasOf("berlin", clear), 26_006 - Math.min(15_000, 13_003));
    assert.equal(await gasOf("london", clear), 26_006 - 4_800);
  });

  it("has the opcodes of the hard fork", async () => {
    const status = async (hardfork: EthereumHardfork, code: string) => {
      const { outcome } = await run(hardfork, { code });
      return outcome.status === 1 ? toHex(outcome.output!) : outcome.exception?.kind;
    };
    const word = (value: number) => value.toString(16).padStart(64, "0");
    // PUSH0, TLOAD, CHAINID, BLOCKHASH of the parent.
    assert.equal(await status("paris", `5f${RETURN}`), "invalid-opcode");
    assert.equal(await status("shanghai", `5f${RETURN}`), word(0));
    assert.equal(await status("shanghai", `60005c${RETURN}`), "invalid-opcode");
    assert.equal(await status("cancun", `60005c${RETURN}`), word(0));
    assert.equal(await status("prague", `46${RETURN}`), word(30));
    assert.equal(await status("cancun", `627a11ff40${RETURN}`), toHex(PARENT));
  });

  it("applies the effects of a transaction", async () => {
    const destroyed = await run("shanghai", { code: "33ff", value: 5n, gasPrice: 2n });
    assert.equal(destroyed.outcome.status, 1);
    assert.equal(destroyed.state.exists(CONTRACT), false);
    const fee = 2n * BigInt(destroyed.outcome.gasUsed);
    assert.equal(destroyed.state.getBalance(SENDER), FUNDS - fee);
    assert.equal(destroyed.state.getBalance(COINBASE), fee);
    assert.equal(destroyed.state.getNonce(SENDER), 1n);
    // EIP-6780: only what was created in the same transaction is destroyed.
    assert.equal((await run("cancun", { code: "33ff" })).state.exists(CONTRACT), true);
    const reverted = await run("prague", { code: "6001600055600160005260206000fd", value: 5n });
    assert.equal(reverted.outcome.reverted, true);
    assert.equal(reverted.outcome.output?.at(-1), 1);
    assert.equal(reverted.state.getStorage(CONTRACT, 0n), 0n);
    assert.equal(reverted.state.getBalance(SENDER), FUNDS);
    const created = await run("london", { to: EMPTY_BYTES, data: "60ef60005360016000f3", gasLimit: 100_000n });
    assert.equal(created.outcome.status, 0);
    assert.equal(created.outcome.gasUsed, 100_000);
    const logged = await run("prague", { code: "600760005260206000a000" });
    assert.deepEqual(
      logged.outcome.logs.map(({ address, data }) => [toHex(address), data.at(-1)]),
      [[toHex(CONTRACT), 7]],
    );
  });

  it("reports steps and frames to a tracer", async () => {
    const steps: string[] = [];
    const frames: string[] = [];
    const tracer: Tracer = {
      step: ({ name, pc, depth }: TracedStep) => void steps.push(`${depth}:${pc} ${name}`),
      enter: ({ kind, depth, to }) => void frames.push(`${kind} ${depth} ${to.length}`),
      exit: ({ reverted }) => void frames.push(`end ${reverted}`),
    };
    // CREATE of init code that is empty, then a call to the identity contract.
    await run("prague", { code: "600060006000f0506000600060006000600060045af100", tracer });
    assert.deepEqual(frames, ["call 0 20", "create 1 20", "end false", "end false"]);
    assert.equal(steps[0], "0:0 PUSH1");
    assert.ok(steps.includes("0:6 CREATE"));
    assert.equal(steps.at(-1), "0:22 STOP");
  });

  it("refuses what Ethereum would not execute, and ends when its check throws", async () => {
    const refused = (given: Case, code: string) =>
      assert.rejects(run("prague", given), (error) => error instanceof EvmError && error.code === code);
    await refused({ gasLimit: 20_999n }, "INTRINSIC_GAS");
    await refused({ gasLimit: 30_000n, data: "01".repeat(1000) }, "INTRINSIC_GAS");
    await refused({ value: FUNDS + 1n }, "BALANCE");
    await refused({ to: EMPTY_BYTES, data: "00".repeat(49_153), gasLimit: 5_000_000n }, "INIT_CODE_SIZE");
    const state = new JournaledState(openState(new MemoryStore(), EMPTY_TRIE_ROOT));
    state.markContract(CONTRACT);
    state.setCode(CONTRACT, fromHex("5b600056"));
    let steps = 0;
    const check = () => {
      if (++steps > 100) throw new Error("enough");
    };
    const call = { from: SENDER, to: CONTRACT, data: EMPTY_BYTES, value: 0n, gasPrice: 0n, gasLimit: 10n ** 9n };
    const endless = executeEthereum(call, { hardfork: "prague", chainId: 30, block: BLOCK, state, check });
    await assert.rejects(endless, /enough/);
  });

  it("finds hard forks by name", () => {
    assert.equal(ethereumHardfork("Prague"), "prague");
    assert.equal(ethereumHardfork("papyrus"), undefined);
  });
});
