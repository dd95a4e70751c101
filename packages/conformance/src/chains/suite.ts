import { type Chain, type ChainEvent, createChainEvm, type ImportResult, openChain } from "@cambium/chain";
import { importFiles, readBlockFile } from "@cambium/chain-maintenance";
import type { NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { fromHex, toData } from "@cambium/primitives";
import { Comparison, failed } from "../comparison.js";
import { describeResult, resultName } from "../import-outcome.js";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { recordedNetwork } from "../networks.js";
import { compareBlock } from "./block-comparison.js";
import type { ChainCompanion, ExpectedBlock, ExpectedCase, ExpectedStep } from "./companion.js";
import { accountCases, balanceCases, callCases, contractCases, excludedCases, logCases } from "./contents.js";
import { type ChainFiles, groupChains, isChainFile, otherFiles } from "./files.js";
import { isSameReason } from "./reference-rules.js";

/** Whole chains, and single-fault blocks on top of one (`test/vectors/chains`). */
export const chainsSuite: VectorSuite = {
  name: "chains",
  accepts: isChainFile,
  companionsOf: otherFiles,
  async *run(files: readonly VectorFile[]) {
    for (const chain of groupChains(files)) yield* runChain(chain);
  },
};

async function* runChain(files: ChainFiles): AsyncGenerator<CaseResult> {
  const { name, blocks, companion } = files;
  if (blocks.length === 0 || companion === undefined) {
    yield failed(name, "blocks and companion JSON must be in one folder");
    return;
  }
  const expected = JSON.parse(companion.text()) as ChainCompanion;
  const network = recordedNetwork(expected.chainId);
  if (network === undefined) yield failed(name, `no network with chain id ${expected.chainId}`);
  else if (expected.cases !== undefined) yield* new CandidateRun(files, expected, network).run();
  else if (expected.blocks !== undefined) yield* new ChainRun(files, expected, network).run();
  else yield* runLongChain(files, expected, network);
}

function genesisCase(name: string, chain: Chain, expected: ChainCompanion): CaseResult {
  const { genesis } = chain;
  return new Comparison(`${name}/genesis`)
    .equal("hash", toData(genesis.hash), expected.genesisHash)
    .equal("state root", toData(chain.stateAfter(genesis.hash)!.root), expected.genesisStateRoot)
    .result();
}

/** A chain with expected values for all blocks. */
class ChainRun {
  private readonly events: ChainEvent[] = [];
  /** Why a block could not be validated; if set, no later block can be. */

  constructor(
    private readonly files: ChainFiles,
    private readonly expected: ChainCompanion,
    private readonly network: NetworkConfig,
  ) {}

  async *run(): AsyncGenerator<CaseResult> {
    const { name } = this.files;
    const chain = await openChain({ network: this.network, database: new MemoryDatabase() });
    chain.on((event) => this.events.push(event));
    yield genesisCase(name, chain, this.expected);
    yield* this.blocks(chain);
    for (const contents of [accountCases, contractCases, callCases, logCases, balanceCases, excludedCases]) {
      for (const result of contents(chain, this.expected)) {
        yield { ...result, name: `${name}/${result.name}` };
      }
    }
    yield this.bestCase(chain);
    await chain.close();
  }

  private async *blocks(chain: Chain): AsyncGenerator<CaseResult> {
    let index = 0;
    for (const file of this.files.blocks) {
      for await (const line of readBlockFile(file.path)) {
        const name = `${this.files.name}/line ${index + 1}`;
        const expected = this.expected.blocks?.[index];
        if ("fault" in line) yield failed(name, line.fault.message);
        else if (expected === undefined) yield failed(name, "the companion does not know this line");
        else yield* this.block(chain, line.entry.rlp, expected, index);
        index++;
      }
    }
    yield new Comparison(`${this.files.name}/lines`).equal("count", index, this.expected.blocks?.length).result();
  }

  private async *block(
    chain: Chain,
    rlp: Uint8Array,
    expected: ExpectedBlock,
    index: number,
  ): AsyncGenerator<CaseResult> {
    const name = `${this.files.name}/line ${index + 1} block ${expected.number}`;
    this.events.length = 0;
    const result = await chain.import({ bytes: rlp, source: "file" });
    const comparison = new Comparison(name);
    if (resultName(result) !== expected.result) comparison.equal("result", describeResult(result), expected.result);
    const isStored = result.kind.startsWith("imported") || result.kind === "already-known";
    if (isStored) compareBlock(comparison, chain, expected, rlp.length);
    yield comparison.result();
    const step = this.expected.steps?.[index];
    if (step !== undefined) yield this.step(chain, result, step, `${name} step`);
  }

  private step(chain: Chain, result: ImportResult, expected: ExpectedStep, name: string): CaseResult {
    const { header, hash, totalDifficulty } = chain.best();
    const change = result.kind === "imported-best" ? result.reorganisation : undefined;
    return new Comparison(name)
      .equal("best number", header.number, expected.bestNumber)
      .equal("best hash", toData(hash), expected.bestHash)
      .equal("best total difficulty", totalDifficulty, expected.bestTotalDifficulty)
      .equal("events", this.events.flatMap(notifications), expected.events)
      .equal("common ancestor", change && toData(change.commonAncestor), expected.reorganisation?.commonAncestor)
      .equal("removed blocks", change?.removed.map(toData), expected.reorganisation?.oldBlocks)
      .equal("added blocks", change?.added.map(toData), expected.reorganisation?.newBlocks)
      .result();
  }

  private bestCase(chain: Chain): CaseResult {
    const { header, hash, totalDifficulty } = chain.best();
    const expected = this.expected.bestBlock;
    return new Comparison(`${this.files.name}/best block`)
      .equal("number", header.number, expected?.number)
      .equal("hash", toData(hash), expected?.hash)
      .equal("state root", toData(chain.stateAfter(hash)!.root), expected?.stateRoot)
      .equal("total difficulty", totalDifficulty, expected?.totalDifficulty)
      .result();
  }
}

/** The notifications that the reference's listeners receive for an event. */
function notifications(event: ChainEvent): string[] {
  const hash = toData(event.hash);
  return event.kind === "sideBlock" ? [`block ${hash}`] : [`best ${hash}`, `block ${hash}`];
}

/** Candidate blocks, each validated separately on a base chain. */
class CandidateRun {
  private readonly base = new MemoryDatabase();
  private readonly evm;

  constructor(
    private readonly files: ChainFiles,
    private readonly expected: ChainCompanion,
    private readonly network: NetworkConfig,
  ) {
    this.evm = createChainEvm(network);
  }

  async *run(): AsyncGenerator<CaseResult> {
    const { name, blocks } = this.files;
    const chain = await this.open(this.base);
    yield genesisCase(name, chain, this.expected);
    const summary = await importFiles(
      chain,
      blocks.map(({ path }) => path),
    );
    const { rejected } = summary;
    yield new Comparison(`${name}/base chain`)
      .equal(
        "rejected blocks",
        rejected.map(({ line, reason }) => `line ${line}: ${reason}`),
        [],
      )
      .result();
    for (const candidate of this.expected.cases ?? []) yield await this.candidate(candidate);
  }

  private open(database: MemoryDatabase): Promise<Chain> {
    return openChain({ network: this.network, database, evm: this.evm });
  }

  private async candidate(expected: ExpectedCase): Promise<CaseResult> {
    const name = `${this.files.name}/${expected.name}`;
    const chain = await this.open(new MemoryDatabase(this.base));
    const result = await chain.import({ bytes: fromHex(expected.block), source: "file" });
    const verdict = expected.result === "DECODE_ERROR" ? "INVALID_BLOCK" : expected.result;
    const comparison = new Comparison(name);
    if (resultName(result) !== verdict) comparison.equal("result", describeResult(result), verdict);
    else if (result.kind === "invalid" && !isSameReason(result.fault.code, expected)) {
      comparison.equal("reason", describeResult(result), `${expected.rejectedBy} ${expected.executionReason ?? ""}`);
    }
    return comparison.result();
  }
}

/** Runs a chain for which only totals and some state roots are given. */
async function* runLongChain(
  { name, blocks }: ChainFiles,
  expected: ChainCompanion,
  network: NetworkConfig,
): AsyncGenerator<CaseResult> {
  const chain = await openChain({ network, database: new MemoryDatabase() });
  yield genesisCase(name, chain, expected);
  let transactions = 0;
  let gasUsed = 0;
  chain.on(({ block }) => {
    transactions += block.transactions.length;
    gasUsed += block.header.gasUsed;
  });
  const summary = await importFiles(
    chain,
    blocks.map(({ path }) => path),
  );
  const rejected = summary.rejected.map(({ line, reason }) => `line ${line}: ${reason}`);
  yield new Comparison(`${name}/import`)
    .equal("rejected blocks", rejected, [])
    .equal("transactions", transactions, expected.transactions)
    .equal("gas used", gasUsed, expected.gasUsed)
    .result();
  for (const { number, hash, stateRoot } of [...(expected.stateRoots ?? []), ...best(expected)]) {
    const actual = chain.hashByNumber(number);
    const state = actual && chain.stateAfter(actual);
    yield new Comparison(`${name}/block ${number}`)
      .equal("hash", actual && toData(actual), hash)
      .equal("state root", state && toData(state.root), stateRoot)
      .result();
  }
  yield new Comparison(`${name}/best block`)
    .equal("hash", toData(summary.best.hash), expected.bestBlock?.hash)
    .equal("total difficulty", summary.best.totalDifficulty, expected.bestBlock?.totalDifficulty)
    .result();
}

function best({ bestBlock }: ChainCompanion): { number: number; hash: string; stateRoot: string }[] {
  return bestBlock === undefined ? [] : [bestBlock];
}
