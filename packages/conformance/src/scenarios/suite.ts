import { type Chain, createChainEvm, executionProfile, type ImportResult, openChain } from "@cambium/chain";
import { MemoryDatabase } from "@cambium/database";
import { fromHex, keccak256, toData } from "@cambium/primitives";
import { type AddResult, TransactionPool } from "@cambium/txpool";
import { Block, encodeReceipt, Transaction } from "@cambium/types";
import { Comparison, failed } from "../comparison.js";
import { describeResult } from "../import-outcome.js";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { parseLines } from "../lines.js";
import type {
  NegativeCase,
  PoolAddition,
  ScenarioAccount,
  ScenarioBlock,
  ScenarioCase,
  ScenarioStep,
} from "./format.js";
import { ScenarioIntake } from "./intake.js";
import { scenarioGenesis, scenarioNetwork } from "./network.js";
import { answerQuestions, type RpcCase } from "./rpc.js";

/** Handcrafted chains, imported without the mining rules (`test/vectors/scenarios`). */
export const scenariosSuite: VectorSuite = {
  name: "scenarios",
  accepts: async (file) => file.folder === "scenarios" || isIndex(file) || (await kindOf(file)) !== undefined,
  async *run(files) {
    const ofKind = await byKind(files);
    const cases = new Map<string, ScenarioCase>();
    const questions = new Map<string, RpcCase>();
    for await (const rpc of entries<RpcCase>(ofKind.rpc)) {
      if ("fault" in rpc) yield rpc.fault;
      else questions.set(rpc.value.name, rpc.value);
    }
    for await (const scenario of entries<ScenarioCase>(ofKind.scenarios)) {
      if ("fault" in scenario) {
        yield scenario.fault;
        continue;
      }
      const { name } = scenario.value;
      cases.set(name, scenario.value);
      yield* runScenario(scenario.value, questions.get(name));
      questions.delete(name);
    }
    for await (const negative of entries<NegativeCase>(ofKind.negative)) {
      if ("fault" in negative) yield negative.fault;
      else yield* runNegative(negative.value, cases.get(negative.value.name));
    }
    for (const name of questions.keys())
      yield failed(`${name}/rpc`, "the scenario of this name is not among the files");
  },
};

type Kind = "scenarios" | "negative" | "rpc";

function isIndex(file: VectorFile): boolean {
  return file.name === "index.json" && file.text().slice(0, 500).includes('"scenario"');
}

async function byKind(files: readonly VectorFile[]): Promise<Record<Kind, VectorFile[]>> {
  const kinds: Record<Kind, VectorFile[]> = { scenarios: [], negative: [], rpc: [] };
  for (const file of files) {
    const kind = await kindOf(file);
    if (kind !== undefined) kinds[kind].push(file);
  }
  return kinds;
}

/** The kind of a file, by the members of its first line. */
async function kindOf(file: VectorFile): Promise<Kind | undefined> {
  if (!file.name.endsWith(".jsonl")) return undefined;
  if (/^rpc\b/.test(file.name)) return "rpc";
  for await (const parsed of parseLines(file, (json) => Object(json) as object)) {
    if ("fault" in parsed) return undefined;
    if ("rpc" in parsed.value) return "rpc";
    if ("genesis" in parsed.value && "blocks" in parsed.value) return "scenarios";
    return "steps" in parsed.value ? "negative" : undefined;
  }
  return undefined;
}

/** The values of all lines; a malformed line is a failed case. */
async function* entries<T>(files: readonly VectorFile[]): AsyncGenerator<{ value: T } | { fault: CaseResult }> {
  for (const file of files) {
    for await (const parsed of parseLines(file, (json) => json as T)) {
      yield "fault" in parsed ? { fault: failed(`${file.name}:${parsed.line}`, parsed.fault) } : parsed;
    }
  }
}

/** The vectors' names of import results. */
const RESULTS: Readonly<Record<ImportResult["kind"], string>> = {
  "imported-best": "best",
  "imported-side": "not_best",
  "already-known": "exists",
  "missing-parent": "no_parent",
  invalid: "invalid",
};

/** The pool of the scenarios; see `test/vectors/scenarios/README.md`. */
const POOL_OPTIONS = { maxAgeBlocks: 10, maxAgeSeconds: 100, rateLimit: false };

function scenarioPool(chain: Chain): TransactionPool {
  return new TransactionPool({ chain, evm: createChainEvm(chain.network), now: () => 0 }, POOL_OPTIONS);
}

function describeAdmission(result: AddResult): string {
  return result.kind === "refused" ? result.message : result.kind;
}

async function openScenario(scenario: ScenarioCase): Promise<Chain> {
  const network = scenarioNetwork(scenario);
  const genesis = scenarioGenesis(scenario, network);
  return openChain({ network, genesis, database: new MemoryDatabase(), profile: executionProfile });
}

async function* runScenario(scenario: ScenarioCase, questions?: RpcCase): AsyncGenerator<CaseResult> {
  let run: ScenarioRun;
  try {
    run = new ScenarioRun(scenario, await openScenario(scenario), questions);
  } catch (error) {
    yield failed(`${scenario.name}/genesis`, String(error));
    return;
  }
  yield* run.all();
}

/** One scenario on a fresh chain. */
class ScenarioRun {
  private readonly intake: ScenarioIntake;
  /** Starts empty before `pool_add`, without transactions from abandoned branches. */
  private pool: TransactionPool;
  private readonly results = new Map<string, string>();
  /** Name of the block of the last `connect`. */
  private lastConnected: string | undefined;
  /** Why no block after some block can be validated. */

  constructor(
    private readonly scenario: ScenarioCase,
    private readonly chain: Chain,
    private readonly questions: RpcCase = { name: scenario.name, rpc: [] },
  ) {
    this.intake = new ScenarioIntake(chain, { knownSender: (hash) => this.pool.knownSender(hash) });
    this.pool = scenarioPool(chain);
  }

  async *all(): AsyncGenerator<CaseResult> {
    const { name, genesis, steps, blocks } = this.scenario;
    yield new Comparison(`${name}/genesis`)
      .equal("hash", toData(this.chain.genesis.hash), genesis.hash)
      .equal("total difficulty", this.chain.totalDifficulty(this.chain.genesis.hash), genesis.difficulty)
      .result();
    yield* this.answers(0);
    for (const [index, step] of steps.entries()) {
      yield await this.step(step, `${name}/step ${index + 1} ${step.op}`);
      yield* this.answers(index + 1);
    }
    for (const [blockName, block] of Object.entries(blocks)) yield this.block(blockName, block);
    yield this.finalState();
  }

  private async *answers(steps: number): AsyncGenerator<CaseResult> {
    const { chain, pool, questions } = this;
    yield* answerQuestions(questions, steps, { chain, pool });
  }

  private async step(step: ScenarioStep, name: string): Promise<CaseResult> {
    const comparison = new Comparison(name);
    if (step.op === "pool_add") this.addToPool(step.transactions, comparison);
    else if (step.op === "connect") await this.connect(step, comparison);
    else if (step.op === "process") await this.process(step, comparison);
    else this.assertion(step, comparison);
    return comparison.result();
  }

  private async connect(step: ScenarioStep & { op: "connect" }, comparison: Comparison): Promise<void> {
    const result = await this.chain.import({ bytes: fromHex(this.scenario.blocks[step.block]!.rlp), source: "file" });
    this.results.set(step.block, RESULTS[result.kind]);
    this.lastConnected = step.block;
    if (RESULTS[result.kind] !== step.result) comparison.equal("result", describeResult(result), step.result);
    this.compareBest(comparison, step.best);
  }

  private async process(step: ScenarioStep & { op: "process" }, comparison: Comparison): Promise<void> {
    const imports = await this.intake.take(fromHex(this.scenario.blocks[step.block]!.rlp));
    const actual = imports.map(({ hash, result }) => `${toData(hash)} ${RESULTS[result.kind]}`);
    const expected = Object.entries(step.imports).map(([hash, result]) => `${hash} ${result}`);
    comparison.equal("imports", actual.sort(), expected.sort());
    this.compareBest(comparison, step.best);
  }

  private compareBest(
    comparison: Comparison,
    expected: { hash: string; number: number; totalDifficulty: string },
  ): void {
    const { header, hash, totalDifficulty } = this.chain.best();
    comparison
      .equal("best hash", toData(hash), expected.hash)
      .equal("best number", header.number, expected.number)
      .equal("best total difficulty", totalDifficulty, expected.totalDifficulty);
  }

  private addToPool(transactions: readonly PoolAddition[], comparison: Comparison): void {
    this.pool.close();
    this.pool = scenarioPool(this.chain);
    for (const { rlp, hash, added, pendingAdded, error } of transactions) {
      const transaction = Transaction.decode(fromHex(rlp));
      const expected = added ? (pendingAdded ? "pending" : "queued") : error;
      const admission = this.pool.add(transaction, { local: false });
      comparison
        .equal("transaction hash", toData(transaction.hash), hash)
        .equal(`admission of ${hash}`, describeAdmission(admission), expected);
    }
  }

  private assertion(step: ScenarioStep, comparison: Comparison): void {
    const { chain } = this;
    if (step.op === "assert_best") {
      comparison.equal("best block", toData(chain.best().hash), step.hash);
    } else if (step.op === "assert_balance") {
      const state = chain.stateAfter(chain.best().hash)!;
      comparison.equal("balance", state.getBalance(fromHex(step.address)), step.balance);
    } else if (step.op === "assert_tx_success") {
      const found = chain.findTransaction(fromHex(step.hash));
      const receipt = found && chain.receipts(found.header.hash)?.[found.index];
      comparison.equal("status", receipt?.status, 1);
    } else if (step.op === "assert_connect") {
      const result = this.results.get(step.block ?? this.lastConnected ?? "");
      comparison.equal("result", result, step.result ?? result ?? "connected");
    }
  }

  private block(name: string, expected: ScenarioBlock): CaseResult {
    const comparison = new Comparison(`${this.scenario.name}/block ${name}`);
    const hash = fromHex(expected.hash);
    const encoded = fromHex(expected.rlp);
    const block = Block.decode(encoded, this.chain.network);
    comparison
      .equal("encoding", toData(block.encode()), expected.rlp)
      .equal("hash preimage", toData(block.header.encode("hash")), expected.hashPreimage)
      .equal("hash", toData(keccak256(block.header.encode("hash"))), expected.hash)
      .equal("edges", block.header.executionEdges, expected.edges)
      .equal(
        "transactions",
        block.transactions.map((transaction) => toData(transaction.hash)),
        expected.transactions,
      );
    const receipts = this.chain.receipts(hash);
    if (receipts === undefined) return comparison.result();
    const created = block.transactions
      .map((transaction) => transaction.createdAddress)
      .map((address) => address && toData(address));
    return comparison
      .equal("total difficulty", this.chain.totalDifficulty(hash), expected.totalDifficulty)
      .equal("state root", toData(this.chain.stateAfter(hash)!.root), expected.stateRoot)
      .equal(
        "receipts",
        receipts.map((receipt) => toData(encodeReceipt(receipt))),
        expected.receipts.map(({ rlp }) => rlp),
      )
      .equal(
        "created contracts",
        block.transactions.map(({ isCreation }, index) => (isCreation ? created[index] : null)),
        expected.receipts.map(({ contractAddress }) => contractAddress),
      )
      .result();
  }

  private finalState(): CaseResult {
    const comparison = new Comparison(`${this.scenario.name}/final state`);
    const state = this.chain.stateAfter(this.chain.best().hash)!;
    const known = [...state.accounts()].map(({ address }) => toData(address)).sort();
    comparison.equal("accounts", known, Object.keys(this.scenario.finalState).sort());
    for (const [address, expected] of Object.entries(this.scenario.finalState))
      this.account(comparison, address, expected);
    return comparison.result();
  }

  private account(comparison: Comparison, hex: string, expected: ScenarioAccount): void {
    const state = this.chain.stateAfter(this.chain.best().hash)!;
    const address = fromHex(hex);
    const cells = [...state.storageEntries(address)].map(({ key, value }) => `${toData(key)} ${toData(value)}`).sort();
    const storage = Object.entries(expected.storage ?? {}).map(([key, value]) => `${key} ${value}`);
    comparison
      .equal(`balance of ${hex}`, state.getBalance(address), expected.balance)
      .equal(`nonce of ${hex}`, state.getNonce(address), expected.nonce)
      .equal(`code of ${hex}`, toData(state.getCode(address)), expected.code ?? "0x")
      .equal(`marker of ${hex}`, state.isContract(address), expected.isContract)
      .equal(`storage of ${hex}`, cells, storage.sort());
  }
}

/** Invalid and repeated blocks on the genesis of a scenario. */
async function* runNegative(negative: NegativeCase, scenario: ScenarioCase | undefined): AsyncGenerator<CaseResult> {
  if (scenario === undefined) {
    yield failed(`${negative.name}/negative`, "the scenario of this name is not among the files");
    return;
  }
  const chain = await openScenario(scenario);
  for (const [index, step] of negative.steps.entries()) {
    const name = `${negative.name}/negative ${index + 1} ${step.kind} ${step.block}`;
    const result = await chain.import({ bytes: fromHex(step.rlp), source: "file" });
    yield negativeCase(name, chain, result, step);
  }
}

/** The header field that was changed, and the fault that must be found. */
const FAULTS: Readonly<Record<string, string>> = {
  stateRoot: "STATE_ROOT",
  transactionsRoot: "DECODING",
  receiptsRoot: "RECEIPTS_ROOT",
  gasUsed: "GAS_USED",
  paidFees: "PAID_FEES",
  logsBloom: "LOGS_BLOOM",
};

function negativeCase(
  name: string,
  chain: Chain,
  result: ImportResult,
  step: NegativeCase["steps"][number],
): CaseResult {
  const comparison = new Comparison(name);
  const isUndecodable = result.kind === "invalid" && result.fault.code === "DECODING";
  const actual = isUndecodable ? "undecodable" : RESULTS[result.kind];
  if (actual !== step.result) comparison.equal("result", describeResult(result), step.result);
  if (result.kind === "invalid") comparison.equal("reason", result.fault.code, FAULTS[step.kind]);
  return comparison.equal("best block", toData(chain.best().hash), step.best).result();
}
