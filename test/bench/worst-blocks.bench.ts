import { join } from "node:path";
import type { GenesisAccount } from "@cambium/config";
import { EMPTY_BYTES, keccak256, leftPad, utf8 } from "@cambium/primitives";
import { withFolder } from "@cambium/test-utils/node-cli";
import { TOKEN } from "./scale/token.js";
import { coldRows, LARGE_CONTRACTS, largeContractAt } from "./worst-blocks/cold-state.js";
import { foundRows } from "./worst-blocks/found.js";
import { type Cost, Machine, perMegagas } from "./worst-blocks/machine.js";
import { MeasuredChain } from "./worst-blocks/measured-chain.js";
import { BLOCKS_WITH_UNCLES, nativeRows, UNCLES_PROGRAM } from "./worst-blocks/natives.js";
import { GAS_LIMIT, mainOfToday } from "./worst-blocks/network.js";
import { opcodeRows } from "./worst-blocks/opcodes.js";
import { precompileRows } from "./worst-blocks/precompiles.js";
import { compile } from "./worst-blocks/program.js";
import { type Chosen, choose } from "./worst-blocks/row-choice.js";
import { createState } from "./worst-blocks/state-process.js";
import { surroundings } from "./worst-blocks/surroundings.js";
import { signed, TRANSACTION_ROWS } from "./worst-blocks/transactions.js";

type Print = (name: string, value: number, unit: string) => void;

/** Number of accounts and cells of the state. */
const ENTRIES = Number(process.env.ENTRIES ?? 1_000_000);
/** Text in the names of the rows to measure. */
const ONLY = process.env.ROW ?? "";
/** Gas of an unmeasured block, so that the code is compiled. */
const WARM_UP_GAS = 1_500_000;

const UNCLES = "BlockHeader.getDifficultyWithUncles, ten uncles";
/** Size of the extra data in each uncle of the last ten blocks, in bytes: only the size of a block limits them. */
const LARGE_EXTRA_DATA = 390_000;

const isWanted = ({ name }: { name: string }): boolean => name.includes(ONLY);

/**
 * Imports blocks of mainnet's rules and gas limit, each full of the operation with the longest processor time for its
 * gas. There is a row for each opcode, precompiled contract, native contract and method of the bridge. Further rows are
 * for cold state, for transactions, and for findings of the search.
 */
export async function run(print: Print): Promise<void> {
  const machine = await Machine.open(surroundings());
  const rows = [...opcodeRows(), ...precompileRows(), ...nativeRows(), ...foundRows()].filter(isWanted);
  const chosen = rows.map((row) => choose(row, machine));
  const cold = coldRows().filter(isWanted);
  const colds = cold.map(({ name, program }) => ({ name, code: compile(program) }));
  const uncles = [{ name: UNCLES, code: compile(UNCLES_PROGRAM) }].filter(isWanted);
  const programs = [...chosen, ...colds, ...uncles].map(({ name, code }) => ({
    address: addressOf(name),
    balance: 0n,
    code,
  }));
  await withFolder(async (folder) => {
    const location = join(folder, "chain");
    const accounts = [...surroundings(), ...programs, ...largeContracts()];
    await createState({ location, entries: ENTRIES, accounts });
    const bench = new Bench(await MeasuredChain.open(mainOfToday(accounts), location), print);
    for (const row of chosen) await bench.program(row);
    for (const { name } of colds) await bench.cold(name);
    for (const { name, requests } of TRANSACTION_ROWS.filter(isWanted)) await bench.transactions(name, requests);
    for (const { name } of uncles) await bench.uncles(name);
    await bench.close();
  });
}

function largeContracts(): GenesisAccount[] {
  return Array.from({ length: LARGE_CONTRACTS }, (_, index) => largeContractAt(index));
}

function addressOf(name: string): Uint8Array {
  return keccak256(utf8(name)).slice(12);
}

class Bench {
  private nonce = 0n;
  private blocks = 0;

  constructor(
    private readonly chain: MeasuredChain,
    private readonly print: Print,
  ) {}

  async program({ name, cost }: Chosen): Promise<void> {
    // The trial suffices for a block that would take minutes.
    if (cost.isInterrupted) this.report(name, cost);
    else await this.call(name, addressOf(name));
  }

  async cold(name: string): Promise<void> {
    await this.call(name, TOKEN, leftPad(addressOf(name), 32));
  }

  async uncles(name: string): Promise<void> {
    for (let i = BLOCKS_WITH_UNCLES; i > 0; i--) {
      const extraData = new Uint8Array(i > 10 ? 0 : LARGE_EXTRA_DATA);
      await this.chain.import(
        [],
        Array.from({ length: 10 }, () => this.chain.uncle(extraData)),
      );
    }
    await this.call(name, addressOf(name));
  }

  private async call(name: string, to: Uint8Array, data: Uint8Array = EMPTY_BYTES): Promise<void> {
    await this.import([{ to, data, gasLimit: BigInt(WARM_UP_GAS) }]);
    this.report(name, await this.import([{ to, data, gasLimit: BigInt(GAS_LIMIT) }]));
  }

  async transactions(name: string, requests: (typeof TRANSACTION_ROWS)[number]["requests"]): Promise<void> {
    this.report(name, await this.import(requests(this.blocks)));
  }

  private import(requests: ReturnType<(typeof TRANSACTION_ROWS)[number]["requests"]>): Promise<Cost> {
    this.blocks++;
    return this.chain.import(requests.map((request) => signed({ ...request, nonce: this.nonce++ })));
  }

  private report(name: string, cost: Cost): void {
    const milliseconds = perMegagas(cost);
    const least = cost.isInterrupted ? " or more" : "";
    this.print(name, (milliseconds * GAS_LIMIT) / 1e6, `ms a block${least}, ${milliseconds.toPrecision(3)} ms/Mgas`);
  }

  close(): Promise<void> {
    return this.chain.close();
  }
}
