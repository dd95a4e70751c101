import { REWARD_ADDRESS } from "@cambium/config";
import { bigintToBytes, bytesToBigint, encodeRlp, leftPad, RawRlp, utf8 } from "@cambium/primitives";
import type { WorldState } from "@cambium/state";

const namedSlot = (name: string): bigint => bytesToBigint(utf8(name));
const namedKey = (name: string): Uint8Array => leftPad(utf8(name), 32);

const REWARD_BALANCE = namedSlot("rewardBalance");
const BURNED_BALANCE = namedSlot("burnedBalance");
const FEDERATION_BALANCE = namedSlot("federationBalance");
const SIBLINGS = namedKey("siblings");
const BROKEN_SELECTION_RULE = namedKey("brokenSelectionRule");

const EMPTY_LIST = Uint8Array.of(0xc0);

/**
 * The contract's storage cells during one invocation: `spec/05 §5`. Reads come from the state; {@link save} writes the
 * changes, only at the end of a successful invocation.
 */
export class RewardCells {
  private reward: bigint | undefined;
  private burned: bigint | undefined;
  private federation: bigint | undefined;
  private broken: boolean | undefined;

  constructor(private readonly state: WorldState) {}

  get rewardBalance(): bigint {
    return this.reward ?? this.state.getStorage(REWARD_ADDRESS, REWARD_BALANCE);
  }

  set rewardBalance(value: bigint) {
    this.reward = value;
  }

  /** A counter only: burned coins remain in the contract's balance. */
  get burnedBalance(): bigint {
    return this.burned ?? this.state.getStorage(REWARD_ADDRESS, BURNED_BALANCE);
  }

  set burnedBalance(value: bigint) {
    this.burned = value;
  }

  get federationBalance(): bigint {
    return this.federation ?? this.state.getStorage(REWARD_ADDRESS, FEDERATION_BALANCE);
  }

  set federationBalance(value: bigint) {
    this.federation = value;
  }

  get brokenSelectionRule(): boolean {
    return this.broken ?? (this.state.getStorageBytes(REWARD_ADDRESS, BROKEN_SELECTION_RULE)?.[0] ?? 0) !== 0;
  }

  set brokenSelectionRule(value: boolean) {
    this.broken = value;
  }

  /** Writes the changed values and the constant `siblings` cell (`spec/05 §5.2`). */
  save(): void {
    if (this.reward !== undefined) this.state.setStorage(REWARD_ADDRESS, REWARD_BALANCE, this.reward);
    if (this.burned !== undefined) this.state.setStorage(REWARD_ADDRESS, BURNED_BALANCE, this.burned);
    if (this.federation !== undefined) this.state.setStorage(REWARD_ADDRESS, FEDERATION_BALANCE, this.federation);
    if (this.broken !== undefined) {
      // The false flag is stored as the byte 00, not deleted.
      this.state.setStorageBytes(REWARD_ADDRESS, BROKEN_SELECTION_RULE, Uint8Array.of(this.broken ? 1 : 0));
    }
    this.state.setStorageBytes(REWARD_ADDRESS, SIBLINGS, EMPTY_LIST);
  }

  /** Output of `getStateForDebugging`: `spec/05 §5.3`. The flag is a raw byte, not an RLP integer. */
  encodeForDebugging(): Uint8Array {
    const flag = new RawRlp(Uint8Array.of(this.brokenSelectionRule ? 1 : 0));
    return encodeRlp([bigintToBytes(this.rewardBalance), bigintToBytes(this.burnedBalance), [], flag]);
  }
}
