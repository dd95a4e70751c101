import { ChainError } from "@cambium/chain";
import {
  ChainStore,
  FACTS,
  numberFact,
  readVerifiedWork,
  TABLES,
  type VerifiedWork,
  verifiedWorkWrite,
} from "@cambium/chain-store";
import type { NetworkConfig, WorkCheckpoint } from "@cambium/config";
import { type Database, numberKey } from "@cambium/database";
import type { BlockHeader } from "@cambium/types";

/** Stores the progress of the verification of work below a snapshot. */
export class WorkStore {
  private readonly store: ChainStore;

  constructor(
    private readonly database: Database,
    private readonly network: NetworkConfig,
  ) {
    this.store = new ChainStore(database, network);
  }

  /**
   * Reads the verified part, at first the lowest block of a snapshot. Undefined if nothing remains to be verified.
   * Throws {@link ChainError} `DATABASE_DAMAGED`.
   */
  read(): VerifiedWork | undefined {
    const { database, store } = this;
    const known = readVerifiedWork(database);
    if (known !== undefined) return known.isComplete ? undefined : known;
    const number = numberFact(database, FACTS.earliest);
    if (number === undefined || numberFact(database, FACTS.snapshot) === undefined) return undefined;
    const hash = store.hashAt(number);
    const outcome = hash && store.outcome(hash);
    if (outcome === undefined)
      throw new ChainError({ code: "DATABASE_DAMAGED", what: "earliest block", key: numberKey(number) });
    const { totalDifficulty } = outcome;
    return { number, hash: hash!, least: totalDifficulty, most: totalDifficulty, isComplete: false };
  }

  async write(work: VerifiedWork): Promise<void> {
    await this.database.write([verifiedWorkWrite(work)]);
  }

  /** Whether a header belongs to a block that was found to be invalid. */
  isKnownInvalid(hash: Uint8Array): boolean {
    return this.database.get(TABLES.invalidBlocks, hash) !== undefined;
  }

  get genesis(): BlockHeader {
    return this.store.header(this.store.hashAt(0)!)!;
  }

  /**
   * Returns the trusted block at which the verification ends: that of the network if it is not above, otherwise
   * genesis.
   */
  endBelow(number: number): WorkCheckpoint {
    const { workCheckpoint } = this.network;
    if (workCheckpoint !== undefined && workCheckpoint.number <= number) return workCheckpoint;
    const hash = this.store.hashAt(0)!;
    return { number: 0, hash, totalDifficulty: this.store.outcome(hash)!.totalDifficulty };
  }
}
