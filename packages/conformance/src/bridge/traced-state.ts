import { createHash } from "node:crypto";
import { BRIDGE_ADDRESS } from "@cambium/config";
import { compareBytes, equalBytes, fromHex, leftPad, numberToBytes, toHex } from "@cambium/primitives";
import { JournaledState, openState } from "@cambium/state";

/** A changed cell in a trace; null: deleted. */
export interface CellChange {
  readonly key: string;
  readonly value: string | null;
}

/** The state of a trace: the bridge's account, with a digest of its cells. */
export class TracedState {
  readonly state = new JournaledState(openState());
  /** All keys written so far. */
  private readonly keys = new Set<string>();

  /** `balance` of the bridge in wei. */
  constructor(balance: bigint) {
    this.state.addBalance(BRIDGE_ADDRESS, balance);
    const write = this.state.setStorageBytes.bind(this.state);
    this.state.setStorageBytes = (address, key, value) => {
      if (equalBytes(address, BRIDGE_ADDRESS)) this.keys.add(toHex(key));
      write(address, key, value);
    };
  }

  get balance(): bigint {
    return this.state.getBalance(BRIDGE_ADDRESS);
  }

  /** Number of cells, and SHA-256 over key, length and value of all of them in order of their keys. */
  digest(): { cells: number; digest: string } {
    const hash = createHash("sha256");
    let cells = 0;
    for (const key of [...this.keys].map(fromHex).sort(compareBytes)) {
      const value = this.state.getStorageBytes(BRIDGE_ADDRESS, key);
      if (value === undefined) continue;
      cells++;
      hash.update(key);
      hash.update(leftPad(numberToBytes(value.length), 4));
      hash.update(value);
    }
    return { cells, digest: hash.digest("hex") };
  }

  /** Applies the changes that a trace records for a step. */
  apply(changes: readonly CellChange[], balance: bigint): void {
    for (const { key, value } of changes) {
      this.state.setStorageBytes(BRIDGE_ADDRESS, fromHex(key), value === null ? undefined : fromHex(value));
    }
    this.state.addBalance(BRIDGE_ADDRESS, balance - this.balance);
  }
}
