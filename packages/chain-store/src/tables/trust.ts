import type { KeyValueReader } from "@cambium/database";
import { FACTS, numberFact } from "./tables.js";
import { readVerifiedWork } from "./verified-work.js";

/**
 * Basis for the claim that the best chain has the most work. `work`: headers are verified from genesis, block 0, or
 * from a block that this release or the operator trusts. `signers`: they are verified from a block whose total
 * difficulty the signers of published state guarantee.
 */
export interface Trust {
  basis: "work" | "signers";
  since: number;
}

/** Reads the basis of trust of a database. Throws {@link ChainError} `DATABASE_DAMAGED`. */
export function readTrust(database: KeyValueReader): Trust {
  if (numberFact(database, FACTS.snapshot) === undefined) return { basis: "work", since: 0 };
  const work = readVerifiedWork(database);
  if (work?.isComplete) return { basis: "work", since: work.number };
  const earliest = numberFact(database, FACTS.earliest);
  if (earliest === undefined) return { basis: "work", since: 0 };
  return { basis: "signers", since: work?.number ?? earliest };
}

/** Returns the words for logs, `/ready` and the page. */
export function trustText({ basis, since }: Trust): string {
  const work = since === 0 ? "work since genesis" : `work since ${since}`;
  return basis === "work" ? work : `signers and ${work}`;
}
