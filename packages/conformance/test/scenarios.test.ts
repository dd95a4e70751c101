import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { local, type NetworkConfig } from "@cambium/config";
import { EMPTY_BYTES, EMPTY_TRIE_ROOT, toData, toQuantity } from "@cambium/primitives";
import { Block, BlockHeader, genesisBlock } from "@cambium/types";
import { runConformance } from "../src/index.js";
import type { ScenarioBlock, ScenarioCase, ScenarioStep } from "../src/scenarios/format.js";
import type { RpcEntry } from "../src/scenarios/rpc-decisions/decision.js";

const NAME = "empty state";
/** Less than the 6 800 000 gas with which the reference estimates. */
const BLOCK_GAS_LIMIT = 3_000_000;
const NETWORK: NetworkConfig = {
  ...local,
  genesis: { ...local.genesis, gasLimit: BLOCK_GAS_LIMIT },
};
const GENESIS = genesisBlock(NETWORK, EMPTY_TRIE_ROOT);

/** Init code that passes 6 000 000 gas to a DELEGATECALL of the bridge, which refuses it for 23 000. */
const DELEGATING = `0x5f600060006000600073${"01000006".padStart(40, "0")}63005b8d80f4`;

const BEST = { hash: toData(GENESIS.hash), number: 0, totalDifficulty: String(GENESIS.header.difficulty) };

/** A block whose parent is unknown. */
const ORPHAN = orphan();

function orphan(): ScenarioBlock {
  const own = { number: 1, parentHash: new Uint8Array(32).fill(7) };
  const upgraded = { version: 2, ummRoot: EMPTY_BYTES, executionEdges: [], baseEvent: EMPTY_BYTES } as const;
  const unmined = { parentChainHeader: null, merkleProof: null, parentChainCoinbase: null };
  const header = BlockHeader.create({ ...GENESIS.header, ...own, ...upgraded, ...unmined }, NETWORK);
  const bytes = new Block(header, [], []).encode();
  return {
    hash: toData(header.hash),
    rlp: toData(bytes),
    header: toData(header.encode("full")),
    hashPreimage: toData(header.encode("hash")),
    number: 1,
    version: 2,
    stateRoot: toData(header.stateRoot),
    edges: [],
    baseEvent: "0x",
    totalDifficulty: "0",
    uncles: [],
    transactions: [],
    receipts: [],
  };
}

/** A scenario on a chain without accounts. */
function scenario(steps: ScenarioStep[] = [], blocks: Record<string, ScenarioBlock> = {}): ScenarioCase {
  return {
    name: NAME,
    rules: { chainId: NETWORK.chainId, activations: { ...NETWORK.ruleHeights }, concurrentContractsDisallowed: [] },
    genesis: {
      hash: toData(GENESIS.hash),
      rlp: toData(GENESIS.encode()),
      stateRoot: toData(EMPTY_TRIE_ROOT),
      difficulty: String(GENESIS.header.difficulty),
      trie: {},
    },
    transactions: {},
    blocks,
    steps,
    finalState: {},
  };
}

describe("runner of scenarios", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "scenarios-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function failures(content: ScenarioCase, rpc: RpcEntry[] = []): Promise<{ name: string }[]> {
    const files = { "scenarios.jsonl": content, "rpc-01.jsonl": { name: NAME, rpc } };
    const paths = Object.entries(files).map(([name, value]) => {
      writeFileSync(join(folder, name), JSON.stringify(value));
      return join(folder, name);
    });
    const { reports } = await runConformance(paths);
    assert.ok(reports.some(({ passed }) => passed > 0));
    return reports.flatMap((report) => report.failures);
  }

  it("estimates with the gas of the recorded run, which is not limited to a block", async () => {
    const estimate = (result: number, members: object, cap?: number): RpcEntry => ({
      afterStep: 0,
      method: "eth_estimateGas",
      params: [{ data: DELEGATING, ...members }, "latest"],
      response: { result: toQuantity(result) },
      ...(cap === undefined ? {} : { gasEstimationCap: cap }),
    });
    // Answers of the reference. The gas given to the call counts, unless it is all that was left.
    const recorded = [
      estimate(6_054_024, {}),
      estimate(77_024, {}, BLOCK_GAS_LIMIT),
      estimate(77_024, { gas: "0x2dc6c0" }),
    ];
    assert.deepEqual(await failures(scenario(), recorded), []);
    assert.equal((await failures(scenario(), [estimate(BLOCK_GAS_LIMIT, {})])).length, 2);
  });

  it("compares failed estimates with those of a node that behaves as deployed", async () => {
    const loop = (result: string): RpcEntry => ({
      afterStep: 0,
      method: "eth_estimateGas",
      params: [{ data: "0x5b600056" }, "latest"],
      response: { result },
    });
    assert.deepEqual(await failures(scenario(), [loop("0x67c280")]), []);
    const [failure, ...others] = await failures(scenario(), [loop("0x67c27f")]);
    assert.match(failure!.name, /as deployed$/);
    assert.deepEqual(others, []);
  });

  it("takes an assertion that names no block for the last connected one", async () => {
    const connect: ScenarioStep = { op: "connect", block: "orphan", result: "no_parent", best: BEST };
    const steps = (result: string): ScenarioStep[] => [connect, { op: "assert_connect", result, holds: true }];
    assert.deepEqual(await failures(scenario(steps("no_parent"), { orphan: ORPHAN })), []);
    const [failure, ...others] = await failures(scenario(steps("best"), { orphan: ORPHAN }));
    assert.match(failure!.name, /step 2 assert_connect/);
    assert.deepEqual(others, []);
  });
});
