import type { NetworkConfig, Rules } from "@cambium/config";
import { bytesToNumber } from "@cambium/primitives";
import type { NativeCallContext } from "@cambium/state";
import { BridgeError } from "./errors.js";
import { chooseFederations, type FederationChoice } from "./federation/choice.js";
import type { Federation } from "./model/federation.js";
import { ParentBlockStore } from "./parent-chain/block-store.js";
import { CELLS } from "./storage/cells.js";
import { BridgeStorage } from "./storage/storage.js";

/** Context and storage of one call to the bridge. */
export class BridgeSession {
  readonly network: NetworkConfig;
  readonly rules: Rules;
  readonly storage: BridgeStorage;
  private store: ParentBlockStore | undefined;

  constructor(readonly context: NativeCallContext) {
    this.network = context.network;
    this.rules = context.rules;
    this.storage = new BridgeStorage(context.state, context.network, context.rules);
  }

  /** The parent-chain store, opened on first use. */
  get blocks(): ParentBlockStore {
    this.store ??= ParentBlockStore.open(this.storage, this.network, this.rules, () => this.activeFederation);
    return this.store;
  }

  /** Active and retiring federation at the executing block. */
  get federations(): FederationChoice {
    const current = this.storage.newFederation;
    const stored = { new: current, old: current === undefined ? undefined : this.storage.oldFederation };
    return chooseFederations(stored, this.context.block.number, this.network, this.rules);
  }

  get activeFederation(): Federation {
    return this.federations.active;
  }

  /** A stored height, undefined if absent. */
  readHeight(key: Uint8Array): number | undefined {
    const item = this.storage.readItem(key);
    return item === undefined ? undefined : bytesToNumber(item, "height");
  }

  /** Block of the next peg-out batch. Reading an absent value saves it as 0 (RSKIP-271). */
  nextPegOutHeight(): number {
    if (!this.rules.rskip271) return 0;
    this.storage.load(CELLS.nextPegOutHeight, Uint8Array.of(0x80));
    return this.readHeight(CELLS.nextPegOutHeight)!;
  }

  /** Fails the call. */
  fail(method: string, reason: string): never {
    throw new BridgeError({ code: "METHOD_FAILED", method, reason });
  }

  /** Fails the call with an "illegal argument", which before RSKIP-88 only makes it a no-op (`spec/06a §1.3`). */
  refuse(method: string, reason: string): never {
    throw new BridgeError({ code: "ILLEGAL_ARGUMENT", method, reason });
  }
}
