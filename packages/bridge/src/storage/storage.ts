import { BRIDGE_ADDRESS, type NetworkConfig, type Rules } from "@cambium/config";
import { decodeRlpItem, encodeRlp, numberToBytes, toHex } from "@cambium/primitives";
import type { WorldState } from "@cambium/state";
import {
  decodePendingFederation,
  encodeFederation,
  encodePendingFederation,
  type Federation,
  type FederationMember,
} from "../model/federation.js";
import { storedFederation } from "../model/stored-federation.js";
import { CELLS, EMPTY_LIST } from "./cells.js";

type Value = Uint8Array | undefined;

/**
 * The bridge's cells during one call. Writes are buffered until {@link save}, which runs only after success; only the
 * parent-chain store writes immediately ({@link writeNow}). Loaded collections are saved as well, so that an absent one
 * is created empty (`spec/06a §8`, quirk 11; `spec/06b-1 §2.2`).
 */
export class BridgeStorage {
  private readonly writes = new Map<string, { key: Uint8Array; value: Value | (() => Value) }>();
  private readonly federations = new Map<Uint8Array, Federation | undefined>();

  constructor(
    private readonly state: WorldState,
    private readonly network: NetworkConfig,
    private readonly rules: Rules,
  ) {}

  /** Current value of a cell in this call, undefined if absent. */
  read(key: Uint8Array): Uint8Array | undefined {
    const pending = this.writes.size === 0 ? undefined : this.writes.get(toHex(key));
    return pending === undefined ? this.state.getStorageBytes(BRIDGE_ADDRESS, key) : settled(pending.value);
  }

  /** Writes at the end of the call; undefined deletes. */
  write(key: Uint8Array, value: Uint8Array | undefined): void {
    this.writes.set(toHex(key), { key, value });
  }

  /** Works like {@link write}, for a value that is expensive to encode and may change again before the call ends. */
  writeLater(key: Uint8Array, value: () => Uint8Array): void {
    this.writes.set(toHex(key), { key, value });
  }

  /** Value of a cell in the state, without this call's pending writes. */
  readNow(key: Uint8Array): Uint8Array | undefined {
    return this.state.getStorageBytes(BRIDGE_ADDRESS, key);
  }

  /** Writes immediately, whether or not the call succeeds. */
  writeNow(key: Uint8Array, value: Uint8Array): void {
    this.state.setStorageBytes(BRIDGE_ADDRESS, key, value);
  }

  /** Loads a cell and saves it at the end of the call; `absent` is its value if it does not exist. */
  load(key: Uint8Array, absent: Uint8Array): Uint8Array {
    const stored = this.read(key);
    if (stored !== undefined) return stored;
    this.write(key, absent);
    return absent;
  }

  loadList(key: Uint8Array): Uint8Array {
    return this.load(key, EMPTY_LIST);
  }

  /** Reading an existing federation also saves it in the current format at the end of the call. */
  get newFederation(): Federation | undefined {
    const isLoaded = this.federations.has(CELLS.newFederation);
    const federation = this.federation(CELLS.newFederation, CELLS.newFederationFormatVersion);
    if (!isLoaded && federation !== undefined) this.saveNewFederation(federation);
    return federation;
  }

  get oldFederation(): Federation | undefined {
    return this.federation(CELLS.oldFederation, CELLS.oldFederationFormatVersion);
  }

  get proposedFederation(): Federation | undefined {
    if (!this.rules.rskip419) return undefined;
    return this.federation(CELLS.proposedFederation, CELLS.proposedFederationFormatVersion);
  }

  setNewFederation(federation: Federation): void {
    this.federations.set(CELLS.newFederation, federation);
    this.saveNewFederation(federation);
  }

  /** Clearing writes the version of a standard federation. */
  setOldFederation(federation: Federation | undefined): void {
    const { rskip123 } = this.rules;
    this.federations.set(CELLS.oldFederation, federation);
    const format = federation?.format ?? 1000;
    if (rskip123) this.write(CELLS.oldFederationFormatVersion, encodeRlp(numberToBytes(format)));
    this.write(CELLS.oldFederation, federation === undefined ? undefined : encodeFederation(federation, rskip123));
  }

  /** Clearing deletes both cells. */
  setProposedFederation(federation: Federation | undefined): void {
    const format = federation === undefined ? undefined : encodeRlp(numberToBytes(federation.format));
    this.federations.set(CELLS.proposedFederation, federation);
    this.write(CELLS.proposedFederationFormatVersion, format);
    if (federation === undefined) this.write(CELLS.proposedFederation, undefined);
    else this.writeLater(CELLS.proposedFederation, () => encodeFederation(federation, true));
  }

  /** Members voted for so far, in member order; undefined if there is no pending federation. */
  get pendingFederation(): readonly FederationMember[] | undefined {
    const cell = this.read(CELLS.pendingFederation);
    return cell === undefined
      ? undefined
      : decodePendingFederation(cell, this.read(CELLS.pendingFederationFormatVersion));
  }

  /** Writes the version of a standard federation, even when clearing. */
  setPendingFederation(members: readonly FederationMember[] | undefined): void {
    const { rskip123 } = this.rules;
    if (rskip123) this.write(CELLS.pendingFederationFormatVersion, encodeRlp(numberToBytes(1000)));
    this.write(CELLS.pendingFederation, members === undefined ? undefined : encodePendingFederation(members, rskip123));
  }

  private federation(key: Uint8Array, versionKey: Uint8Array): Federation | undefined {
    if (this.federations.has(key)) return this.federations.get(key);
    const cell = this.read(key);
    const federation = cell === undefined ? undefined : storedFederation(key, cell, this.read(versionKey));
    this.federations.set(key, federation);
    return federation;
  }

  private saveNewFederation(federation: Federation): void {
    const { rskip123 } = this.rules;
    if (rskip123) this.write(CELLS.newFederationFormatVersion, encodeRlp(numberToBytes(federation.format)));
    this.write(CELLS.newFederation, encodeFederation(federation, rskip123));
  }

  /** Cell that currently lists the new federation's UTXOs (`spec/06a §8`, quirk 7). */
  get newFederationUtxosKey(): Uint8Array {
    if (this.network.parentChain !== "test" || !this.rules.rskip284) return CELLS.newFederationUtxos;
    return this.rules.rskip293 ? CELLS.newFederationUtxosTestRskip293 : CELLS.newFederationUtxosTestRskip284;
  }

  /** Content of a stored RLP integer or hash, undefined if absent. */
  readItem(key: Uint8Array): Uint8Array | undefined {
    const cell = this.read(key);
    return cell === undefined ? undefined : decodeRlpItem(cell).bytes;
  }

  save(): void {
    if (this.rules.rskip134 && !this.state.exists(BRIDGE_ADDRESS)) this.writeLockingCap();
    for (const { key, value } of this.writes.values()) this.state.setStorageBytes(BRIDGE_ADDRESS, key, settled(value));
  }

  /**
   * Every call saves the locking cap (RSKIP-134), even if it is absent; any write creates the account (`spec/04 §7.3`).
   */
  private writeLockingCap(): void {
    this.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.lockingCap, this.readNow(CELLS.lockingCap));
  }
}

function settled(value: Value | (() => Value)): Value {
  return typeof value === "function" ? value() : value;
}
