import { GAS_PRICE_CAP_FACTOR, type Rules } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { gasValue, type Transaction, TypesError } from "@cambium/types";

/** A pending transaction that passed the block's rules. */
export interface ScreenedTransaction {
  transaction: Transaction;
  /** Sender as lower-case hex. */
  sender: string;
  gasLimit: bigint;
}

/** Requirements of the block under construction. */
export interface ScreeningTerms {
  minimumGasPrice: bigint;
  rules: Rules;
  stateAtParent: StateReader;
}

/**
 * Selects the pending transactions worth executing by the rules that apply before execution (`spec/02 §7.4`,
 * `spec/08 §8`). Those that can never be in a block are collected in {@link unusable}.
 */
export class CandidateScreening {
  /** Hashes of transactions to evict from the pool. */
  readonly unusable: Uint8Array[] = [];
  private readonly nextNonce = new Map<string, bigint>();

  constructor(private readonly terms: ScreeningTerms) {}

  /** The candidate, or undefined if the transaction cannot be its sender's next one. */
  admit(transaction: Transaction): ScreenedTransaction | undefined {
    const candidate = this.isSound(transaction) ? describe(transaction) : undefined;
    if (candidate === undefined) this.unusable.push(transaction.hash);
    else if (transaction.nonce === this.expectedNonce(candidate)) return candidate;
    return undefined;
  }

  /** Records that the transaction is in the block, so that its sender's next one may follow. */
  include({ sender, transaction }: ScreenedTransaction): void {
    this.nextNonce.set(sender, transaction.nonce + 1n);
  }

  private isSound(transaction: Transaction): boolean {
    if (transaction.isReward || !transaction.isSigned) return false;
    const { nonceBytes, gasPrice } = transaction;
    if (nonceBytes.length > 8 || (nonceBytes.length > 1 && nonceBytes[0] === 0)) return false;
    const { minimumGasPrice, rules } = this.terms;
    if (gasPrice < minimumGasPrice) return false;
    const cap = rules.rskip252 && minimumGasPrice > 0n ? GAS_PRICE_CAP_FACTOR * minimumGasPrice : undefined;
    return cap === undefined || gasPrice <= cap;
  }

  private expectedNonce({ sender, transaction }: ScreenedTransaction): bigint {
    let nonce = this.nextNonce.get(sender);
    if (nonce === undefined) {
      nonce = this.terms.stateAtParent.getNonce(transaction.sender!);
      this.nextNonce.set(sender, nonce);
    }
    return nonce;
  }
}

/** Returns undefined if a field is out of range or the sender cannot be recovered. */
function describe(transaction: Transaction): ScreenedTransaction | undefined {
  try {
    transaction.verifyFields();
    const gasLimit = gasValue(transaction.gasLimitBytes);
    return { transaction, sender: toHex(transaction.sender!), gasLimit };
  } catch (error) {
    if (error instanceof TypesError) return undefined;
    throw error;
  }
}
