import { type NetworkConfig, REWARD_ADDRESS, REWARD_SENDER } from "@cambium/config";
import { concatBytes, keccak256, leftPad, numberToBytes, toHex, utf8 } from "@cambium/primitives";
import type { AncestorReader, JournaledState, NativeContract } from "@cambium/state";
import { emptyState, type Payment, recordCall } from "@cambium/test-utils/native-call";
import type { BlockHeader, Log } from "@cambium/types";

/** An account derived from a name. */
export function account(name: string): Uint8Array {
  return keccak256(utf8(name)).slice(12);
}

export interface TestBlock {
  miner: string;
  fees: bigint;
  hash?: Uint8Array;
  uncles?: readonly TestUncle[];
  uncleCount?: number;
}

export interface TestUncle {
  miner: string;
  height: number;
  fees: bigint;
  hash?: Uint8Array;
  uncleCount?: number;
}

/** A hash greater than the default hashes of main blocks. */
const HIGH = (text: string): Uint8Array => concatBytes(Uint8Array.of(0xff), keccak256(utf8(text)).subarray(1));

function header(number: number, block: TestBlock | TestUncle, hash: Uint8Array): BlockHeader {
  const { miner, fees, uncleCount = 0 } = block;
  return { number, hash, coinbase: account(miner), paidFees: fees, uncleCount } as unknown as BlockHeader;
}

/** A chain of headers whose fees the reward contract distributes block by block. */
export class RewardChain {
  readonly state: JournaledState = emptyState();
  readonly headers: BlockHeader[] = [];
  private readonly uncles: BlockHeader[][] = [];
  logs: Log[] = [];
  payments: Payment[] = [];

  constructor(
    private readonly network: NetworkConfig,
    private readonly contract: NativeContract,
    private readonly minimumGasPrice = 10n,
  ) {
    this.headers[0] = header(0, { miner: "genesis", fees: 0n }, leftPad(Uint8Array.of(0), 32));
    this.uncles[0] = [];
  }

  private readonly ancestors: AncestorReader = {
    hash: (number) => this.headers[number]?.hash,
    header: (number) => this.headers[number],
    uncles: (number) => this.uncles[number],
    totalDifficulty: () => undefined,
  };

  /** Executes the reward transaction of the next block and adds the block. */
  add(block: TestBlock): void {
    const number = this.headers.length;
    this.state.addBalance(REWARD_ADDRESS, block.fees);
    const call = recordCall({
      network: this.network,
      state: this.state,
      block: { number, minimumGasPrice: this.minimumGasPrice, ancestors: this.ancestors },
      transaction: { sender: REWARD_SENDER, isReward: true },
    });
    this.contract.execute(null, call.context);
    this.logs = call.logs;
    this.payments = call.payments;
    const uncles = (block.uncles ?? []).map((uncle, i) =>
      header(uncle.height, uncle, uncle.hash ?? HIGH(`${number}/${i}`)),
    );
    const hash = block.hash ?? concatBytes(Uint8Array.of(1), leftPad(numberToBytes(number), 31));
    this.headers.push(header(number, { uncleCount: uncles.length, ...block }, hash));
    this.uncles.push(uncles);
  }

  /** Adds blocks of an unrelated miner until the chain reaches `number`. */
  until(number: number, fees = 0n): void {
    while (this.headers.length <= number) this.add({ miner: "other miner", fees });
  }

  balance(address: Uint8Array | string): bigint {
    return this.state.getBalance(typeof address === "string" ? account(address) : address);
  }

  cell(name: string): bigint {
    const slot = leftPad(utf8(name), 32);
    return BigInt(`0x0${toHex(this.state.getStorageBytes(REWARD_ADDRESS, slot) ?? new Uint8Array(0))}`);
  }

  /** Undefined until it is first written. */
  get broken(): boolean | undefined {
    const cell = this.state.getStorageBytes(REWARD_ADDRESS, leftPad(utf8("brokenSelectionRule"), 32));
    return cell === undefined ? undefined : cell[0] === 1;
  }
}
