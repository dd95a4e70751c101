import { BRIDGE_ADDRESS, type NetworkConfig } from "@cambium/config";
import {
  type AbiValue,
  abiFunction,
  concatBytes,
  encodeValues,
  fromHex,
  keccak256,
  leftPad,
  numberToBytes,
  publicKeyToAddress,
  secp256k1,
  utf8,
} from "@cambium/primitives";
import { signTransaction, type Transaction } from "@cambium/types";
import { addressAt } from "../scale/large-state.js";
import { TOKEN } from "../scale/token.js";
import { FEDERATOR, SENDERS } from "./network.js";
import { mineParentHeaders } from "./parent-headers.js";
import type { RandomSource } from "./random-source.js";

/** Gas price that most transactions of main pay. */
const GAS_PRICE = 65_164_000n;
/** Shares of blocks with this number of transactions; every fifth block of main has none. */
const COUNTS = [0.18, 0.14, 0.18, 0.17, 0.12, 0.08, 0.05, 0.03, 0.02, 0.01, 0.01, 0, 0.01];
/** Shares of plain transfers, token transfers, and other calls, which use most of the gas. */
const KINDS = [0.35, 0.35, 0.3];
/** Share of accounts that did not exist: main's state grows by 0.6 entries a block. */
const NEW = 0.04;
/** Share of accounts that are among the frequent ones, and their number (assumed). */
const [FREQUENT, FREQUENT_ACCOUNTS] = [0.6, 10_000];
/** Smallest and largest number of accounts in an other call: some 100,000 to 450,000 gas. */
const [FEWEST, MOST] = [6, 26];
/** Blocks of an hour, and parent blocks in that time. */
const [HOUR, PARENT_BLOCKS] = [120, 6];

const SELECTOR = fromHex("a9059cbb");
const EXCHANGE = keccak256(utf8("exchange(address[])")).slice(0, 4);
const updateCollections = abiFunction("updateCollections", [], []);
const receiveHeaders = abiFunction("receiveHeaders", ["bytes[]"], []);

/** Transactions with the mix of main (docs/sizing.md). */
export class Traffic {
  private readonly nonces = new Map<Uint8Array, bigint>();
  private readonly parents = mineParentHeaders();

  constructor(
    private readonly network: NetworkConfig,
    private readonly entries: number,
    private readonly random: RandomSource,
    /** Returns the next nonce of an account of the chain so far. */
    private readonly nonceOf: (address: Uint8Array) => bigint,
  ) {}

  /** Returns the transactions of a block, in an order that can be executed. */
  ofBlock(number: number): Transaction[] {
    const transactions = Array.from({ length: this.random.choice(COUNTS) }, () => this.one());
    return number % HOUR === 0 ? [...transactions, ...this.bridgeUpdate()] : transactions;
  }

  private one(): Transaction {
    const key = SENDERS[this.random.below(SENDERS.length)]!;
    const kind = this.random.choice(KINDS);
    if (kind === 0) return this.signed(key, this.recipient(), 21_000n, { value: BigInt(this.random.below(1e15)) });
    if (kind === 1) {
      const amount = numberToBytes(this.random.below(1e12));
      return this.signed(key, TOKEN, 100_000n, { data: concatBytes(SELECTOR, this.account(), leftPad(amount, 32)) });
    }
    const accounts = Array.from({ length: FEWEST + this.random.below(MOST - FEWEST + 1) }, () => this.account());
    return this.signed(key, TOKEN, 900_000n, { data: concatBytes(EXCHANGE, ...accounts) });
  }

  /** Returns what a member of the federation sends each hour. */
  private bridgeUpdate(): Transaction[] {
    const headers = Array.from({ length: PARENT_BLOCKS }, () => this.parents.next().value);
    const call = ({ selector, inputs }: typeof updateCollections, ...values: readonly AbiValue[]) =>
      this.signed(FEDERATOR, BRIDGE_ADDRESS, 500_000n, {
        data: concatBytes(fromHex(selector), encodeValues(inputs, values)),
      });
    return [call(receiveHeaders, headers), call(updateCollections)];
  }

  private recipient(): Uint8Array {
    const all = Math.floor(this.entries / 2);
    const kind = this.random.choice([NEW, FREQUENT, 1 - NEW - FREQUENT]);
    if (kind === 0) return this.random.bytes(20);
    return addressAt(this.random.below(kind === 1 ? Math.min(FREQUENT_ACCOUNTS, all) : all));
  }

  /** Returns a recipient as a word of call data. */
  private account(): Uint8Array {
    return leftPad(this.recipient(), 32);
  }

  private signed(
    key: Uint8Array,
    to: Uint8Array,
    gasLimit: bigint,
    { value = 0n, data }: { value?: bigint; data?: Uint8Array },
  ): Transaction {
    const nonce = this.nonces.get(key) ?? this.nonceOf(publicKeyToAddress(secp256k1.publicKey(key)));
    this.nonces.set(key, nonce + 1n);
    const { chainId } = this.network;
    return signTransaction({ nonce, gasPrice: GAS_PRICE, gasLimit, to, value, chainId, ...(data && { data }) }, key);
  }
}
