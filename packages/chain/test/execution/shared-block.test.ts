import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, NETWORKS, REWARD_ADDRESS, rulesAt } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { contractAddress, contractAddress2, fromHex, keccak256, numberToBytes, toHex } from "@cambium/primitives";
import { JournaledState } from "@cambium/state";
import { fc, runs } from "@cambium/test-utils/properties";
import {
  Block,
  BlockHeader,
  encodeReceipt,
  type HeaderFields,
  packKnownSenders,
  receiptsRoot,
  rewardTransaction,
  signTransaction,
  type Transaction,
  transactionsRoot,
} from "@cambium/types";
import {
  type ExecutionResults,
  executeSharedBlock,
  type SharedExecutionInput,
} from "../../src/execution/block-executor.js";
import {
  BlockError,
  type Chain,
  createChainEvm,
  executeBlock,
  executionProfile,
  localBlock,
  openChain,
  openReader,
} from "../../src/index.js";
import { ListExecution } from "../../src/threads/list-execution.js";
import { keyOf } from "../support.js";

/** Room for 9 million gas in each list. */
const GAS_LIMIT = 27_000_000;
const network = { ...NETWORKS.local, genesis: { ...NETWORKS.local.genesis, gasLimit: GAS_LIMIT } };
const evm = createChainEvm(network);

const SENDERS = Array.from({ length: 9 }, (_, i) => `cow${i === 0 ? "" : i}`);
const DEPLOYER = "cow9";
/** Creation code of a contract that sends all it has to the caller when it is called, and ends. */
const CHILD = "6133ff5f526002601ef3";

const native = (last: string) => fromHex(last.padStart(40, "0"));

/** Runtime codes; each contract exists once for each list. The input is 32 bytes, a slot. */
const CODES = [
  // slot[input] += 1
  "5f3580546001019055",
  // slot[input] = balance of 0707…
  `73${"07".repeat(20)}315f3555`,
  // slot[0] = address of the child that it creates with CREATE2; 0 if the child exists
  `7f${CHILD.padEnd(64, "0")}5f525f600a5f5ff55f55`,
  // sends all it has to the caller, and ends
  "33ff",
  // slot[input] = 1, then loops until it is out of gas
  "60015f35555b600556",
  // slot[input] = hash of its own code; logs the input
  "303f5f35555f355f5260205fa0",
  // calls SHA-256 and the contract that reads block headers; slot[input] = hash of the parent
  "60205f60205f5f60025af15060205f60205f5f630100001062030d40f15060014303405f3555",
  // slot[input] = 0; sends one wei to an address near its own
  "5f5f35555f5f5f5f6001305f35016001015af1",
  // slot[input] = 1, then reverts
  "60015f35555f5ffd",
  // slot[0] = 1, then calls the bridge and reverts
  `60015f555f5f5f5f5f73${toHex(BRIDGE_ADDRESS)}617530f15f5ffd`,
];

/** Creation code that deploys a runtime of at most 255 bytes. */
function deploying(runtime: string): Uint8Array {
  const length = (runtime.length / 2).toString(16).padStart(2, "0");
  return fromHex(`60${length}600c60003960${length}6000f3${runtime}`);
}

const COPIES = 3;
const addressOf = (name: string) => signTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: 0n }, keyOf(name)).sender!;
/** Contracts of one copy. */
const contracts = (copy: number) =>
  CODES.map((_, i) => contractAddress(addressOf(DEPLOYER), BigInt(copy * CODES.length + i)));
const childOf = (copy: number) => contractAddress2(contracts(copy)[2]!, new Uint8Array(32), keccak256(fromHex(CHILD)));

interface Request {
  /** 0 and 1: parallel lists; 2: the sequential one. */
  list: number;
  /** 0: a parallel list uses accounts of the next one instead of its own; those of the sequential list use any. */
  strays: number;
  sender: number;
  target: number;
  slot: number;
  gasLimit: bigint;
  value: bigint;
  gap: number;
}

/** What the transactions of a list call; undefined: they create a contract. */
function targets(copy: number): (Uint8Array | undefined)[] {
  const receiver = new Uint8Array(20).fill(0x20 + copy);
  const [relay, ...others] = contracts(copy).reverse();
  return [
    ...others,
    childOf(copy),
    receiver,
    undefined,
    native("1"),
    native("2"),
    native("5"),
    native("1000009"),
    native("1000010"),
    native("1000011"),
    new Uint8Array(20).fill(7),
    relay,
    BRIDGE_ADDRESS,
    REWARD_ADDRESS,
  ];
}

const rarely = <T>(usual: T, others: fc.Arbitrary<T>, weight = 24) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });

const request: fc.Arbitrary<Request> = fc.record({
  list: fc.nat(2),
  strays: fc.nat(59),
  sender: fc.nat(2),
  target: fc.oneof(
    { weight: 9, arbitrary: fc.nat(targets(0).length - 5) },
    { weight: 1, arbitrary: fc.nat(targets(0).length - 1) },
  ),
  slot: fc.nat(3),
  gasLimit: rarely(200_000n, fc.constantFrom(30_000n, 60_000n, 5_000_000n, 10_000_000n), 12),
  value: rarely(0n, rarely(1000n, fc.constantFrom(1n, 10n ** 40n), 20), 3),
  gap: rarely(0, fc.constantFrom(-1, 1), 100),
});

function transactionsOf(requests: readonly Request[], nonceOf: (name: string) => bigint): Transaction[] {
  const next = new Map<string, bigint>();
  return requests.map(({ list, strays, sender, target, slot, gasLimit, value, gap }) => {
    const copy = list === 2 ? strays % COPIES : (list + (strays === 0 ? 1 : 0)) % COPIES;
    const name = SENDERS[copy * 3 + sender]!;
    const nonce = next.get(name) ?? nonceOf(name);
    next.set(name, nonce + 1n);
    const to = targets(copy)[target];
    const shifted = nonce + BigInt(gap) < 0n ? 0n : nonce + BigInt(gap);
    const data = to === undefined ? deploying(CODES[slot]!) : Uint8Array.of(...new Uint8Array(31), slot);
    return signTransaction({ nonce: shifted, gasPrice: 1n, gasLimit, to, value, data }, keyOf(name));
  });
}

/** A block whose header lacks the results of its execution. */
function draft(parent: BlockHeader, own: readonly Transaction[], edges: readonly number[]): Block {
  const number = parent.number + 1;
  const transactions = [...own, rewardTransaction(number)];
  const fields: HeaderFields = {
    ...parent.fields(),
    parentHash: parent.hash,
    number,
    difficulty: 1n,
    gasLimit: numberToBytes(GAS_LIMIT),
    transactionsRoot: transactionsRoot(transactions, rulesAt(network, number)),
    executionEdges: [...edges],
    parentChainHeader: new Uint8Array(80).fill(3),
    merkleProof: new Uint8Array(64).fill(4),
    parentChainCoinbase: new Uint8Array(100).fill(5),
    ummRoot: new Uint8Array(0),
    baseEvent: new Uint8Array(0),
    version: 2,
  };
  return new Block(BlockHeader.create(fields, network), transactions, []);
}

type Outcome = { results: unknown; fault?: undefined } | { fault: BlockError; results?: undefined };

describe("a block whose second list is executed apart", () => {
  let chain: Chain;
  let apart: ListExecution;

  before(async () => {
    const database = new MemoryDatabase();
    chain = await openChain({ network, database, profile: executionProfile, evm });
    const ownEvm = createChainEvm(network);
    apart = new ListExecution(openReader({ network, database, evm: ownEvm }), ownEvm);
    const codes = Array.from({ length: COPIES }, () => CODES).flat();
    const deployments = codes.map((code, nonce) =>
      signTransaction(
        { nonce: BigInt(nonce), gasPrice: 0n, gasLimit: 400_000n, data: deploying(code), value: 0n },
        keyOf(DEPLOYER),
      ),
    );
    await extend(deployments, []);
    for (let copy = 0; copy < COPIES; copy++) {
      for (const address of contracts(copy)) assert(best().getCodeSize(address) > 0);
    }
  });

  const best = () => chain.stateAfter(chain.best().hash)!;

  function inputOf(block: Block): SharedExecutionInput {
    const { parentHash } = block.header;
    const state = new JournaledState(chain.stateAfter(parentHash)!);
    return { block, state, evm, network, ancestors: chain.ancestors(parentHash) };
  }

  function withResults(block: Block): Block {
    const input = inputOf(block);
    const { receipts, gasUsed, paidFees, logsBloom } = executeBlock(input);
    const stateRoot = input.state.commit().root;
    const results = { stateRoot, receiptsRoot: receiptsRoot(receipts, rulesAt(network, block.number)) };
    const fields = { ...block.header.fields(), ...results, gasUsed, paidFees, logsBloom };
    return new Block(BlockHeader.create(fields, network), block.transactions, []);
  }

  async function extend(transactions: readonly Transaction[], edges: readonly number[]): Promise<void> {
    const block = withResults(draft(chain.best().header, transactions, edges));
    const result = await chain.import(localBlock(block));
    assert.equal(result.kind, "imported-best", String((result as { fault?: unknown }).fault));
  }

  async function outcomeOf(
    block: Block,
    execute: (input: SharedExecutionInput) => Promise<ExecutionResults>,
  ): Promise<Outcome> {
    const input = inputOf(block);
    try {
      const { receipts, gasUsed, paidFees, logsBloom } = await execute(input);
      const { root, changes } = input.state.commit();
      const encoded = receipts.map((receipt) => toHex(encodeReceipt(receipt)));
      const changed = changes.map(({ key, value, isPrefix }) => [toHex(key), value && toHex(value), isPrefix]);
      return { results: { encoded, gasUsed, paidFees, logsBloom: toHex(logsBloom), root: toHex(root), changed } };
    } catch (error) {
      assert(error instanceof BlockError, String(error));
      return { fault: error };
    }
  }

  /** As through a thread. */
  async function second(block: Block) {
    const posted = structuredClone({ bytes: block.encode(), senders: packKnownSenders(block.transactions) });
    return structuredClone(await apart.execute(posted));
  }

  it("has the results of its lists one after the other, and is invalid exactly if it is then", async () => {
    const seen = new Map<string, number>();
    const blocks = fc.record({
      requests: fc.array(request, { maxLength: 14 }),
      cut: rarely(0, fc.integer({ min: -1, max: 1 })),
    });
    await fc.assert(
      fc.asyncProperty(blocks, async ({ requests, cut }) => {
        const sorted = requests.toSorted((a, b) => a.list - b.list);
        const [first, both] = [0, 1].map((list) => requests.filter((one) => one.list <= list).length) as [
          number,
          number,
        ];
        const edges = [Math.max(first + cut, 1), Math.max(both, first + cut + 1, 2)];
        const state = best();
        const transactions = transactionsOf(sorted, (name) => state.getNonce(addressOf(name)));
        if (edges[1]! > transactions.length) return;
        const block = draft(chain.best().header, transactions, edges);
        const inTurn = await outcomeOf(block, async (input) => executeBlock(input));
        const shared = await outcomeOf(block, async (input) => {
          let isShared = false;
          const execute = async () => {
            const results = await second(block);
            isShared = results !== undefined;
            return results;
          };
          const results = await executeSharedBlock(input, { execute, minTime: 0 });
          assert(isShared);
          return results;
        });
        const kind = inTurn.fault?.code ?? "valid";
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        if (inTurn.fault !== undefined) return assert(shared.fault !== undefined, inTurn.fault.message);
        assert.deepEqual(shared, inTurn);
        await extend(transactions, edges);
      }),
      { numRuns: runs(300) },
    );
    for (const kind of ["valid", "EXECUTION", "EXECUTION_COLLISION", "EXECUTION_SEQUENTIAL_ONLY"])
      assert(seen.has(kind), kind);
    assert(seen.get("valid")! > 50, String(seen.get("valid")));
  });
});
