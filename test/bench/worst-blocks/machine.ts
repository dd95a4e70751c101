import { createChainEvm } from "@cambium/chain";
import type { GenesisAccount, NetworkConfig } from "@cambium/config";
import { ExecutionInterrupted, loadPrecompiles, TransactionRejected } from "@cambium/evm";
import { keccak256, numberToBytes } from "@cambium/primitives";
import { buildGenesisState, type ExecutingBlock, JournaledState, type KeyedStateView, openState } from "@cambium/state";
import { genesisBlock, signTransaction } from "@cambium/types";
import { GAS_LIMIT, mainOfToday, PAYER_KEY } from "./network.js";

/** Processor time of a program, and the gas that it used. */
export interface Cost {
  milliseconds: number;
  gas: number;
  /** Whether the program was ended at the time limit; it has then used less gas than stated. */
  isInterrupted: boolean;
}

/** Milliseconds of processor time that this process has used, in all of its threads and the kernel. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Milliseconds of a block that is full of a program, per million gas. */
export function perMegagas({ milliseconds, gas }: Cost): number {
  return (milliseconds * 1_000_000) / gas;
}

const PROGRAM = new Uint8Array(20).fill(0xbb);
const NUMBER = 4_100;

/** Executes programs on mainnet's present rules and a state in memory, without a chain. */
export class Machine {
  private readonly network: NetworkConfig;
  private readonly view: KeyedStateView;
  private readonly block: ExecutingBlock;
  private deadline = { elapsed: 0, processor: 0 };
  private readonly evm;

  /** Opens a machine with these accounts next to the programs. */
  static async open(accounts: readonly GenesisAccount[]): Promise<Machine> {
    await loadPrecompiles();
    return new Machine(accounts);
  }

  private constructor(accounts: readonly GenesisAccount[]) {
    this.network = mainOfToday(accounts);
    this.evm = createChainEvm(this.network, { isInterrupted: () => this.isOver() });
    const { root, nodes } = buildGenesisState(this.network);
    const stored = new Map(nodes.map(({ hash, bytes }) => [String(hash), bytes]));
    this.view = openState({ get: (hash) => stored.get(String(hash)) }, root);
    const { header } = genesisBlock(this.network, root);
    this.block = {
      number: NUMBER,
      timestamp: 1_700_000_000n,
      parentHash: header.hash,
      coinbase: header.coinbase,
      difficulty: 1n,
      gasLimit: BigInt(GAS_LIMIT),
      minimumGasPrice: 0n,
      ancestors: {
        hash: (number) => keccak256(numberToBytes(number)),
        header: () => header,
        uncles: () => [header, header],
        totalDifficulty: (number) => BigInt(number),
      },
    };
  }

  /**
   * Measures a transaction to a contract with this code, including its changes to the state. `timeLimit`: milliseconds
   * of processor time after which it is ended.
   */
  run(code: Uint8Array, { gas = GAS_LIMIT, timeLimit }: { gas?: number; timeLimit: number }): Cost {
    const state = new JournaledState(this.view);
    state.createAccount(PROGRAM);
    state.markContract(PROGRAM);
    state.setCode(PROGRAM, code);
    const request = { nonce: 0n, gasPrice: 0n, gasLimit: BigInt(gas), to: PROGRAM };
    const transaction = signTransaction(request, PAYER_KEY);
    const start = processorTime();
    this.deadline = { elapsed: performance.now() + timeLimit, processor: start + timeLimit };
    const used = this.execute(transaction, state);
    return { milliseconds: processorTime() - start, gas: used ?? gas, isInterrupted: used === undefined };
  }

  /** Elapsed time is read first, because reading it is fast. */
  private isOver(): boolean {
    return performance.now() > this.deadline.elapsed && processorTime() > this.deadline.processor;
  }

  /** The gas used; undefined if the execution was interrupted. */
  private execute(transaction: ReturnType<typeof signTransaction>, state: JournaledState): number | undefined {
    const { block } = this;
    const listGasLimit = BigInt(GAS_LIMIT);
    try {
      const run = { transaction, index: 0, block, state, gasUsedBefore: 0n, listGasLimit, creditFee: true };
      const { gasUsed } = this.evm.execute({ ...run, deletedInList: new Set() });
      state.commit().root;
      return gasUsed;
    } catch (error) {
      if (error instanceof ExecutionInterrupted) return undefined;
      // No block can contain the transaction.
      if (error instanceof TransactionRejected) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }
}
