import { equalBytes, toData, toQuantity } from "@cambium/primitives";
import type { AccountContent, CellChange, TouchedAccount } from "./tracers/observed-state.js";
import { addressed, cellData, isSame, isSameCell } from "./tracers/prestate.js";

/** A value of OpenEthereum's `stateDiff`: unchanged, changed, new, or gone. */
export type Delta = "=" | { "*": { from: string; to: string } } | { "+": string } | { "-": string };

/** Changes of one account; `storage` has changed cells only. */
export interface AccountDelta {
  balance: Delta;
  nonce: Delta;
  code: Delta;
  storage: Record<string, Delta>;
}

/** Changed accounts by address, as OpenEthereum's `trace_replayTransaction` shows them. */
export type StateDiff = Record<string, AccountDelta>;

export function stateDiff(touched: readonly TouchedAccount[]): StateDiff {
  const diff: StateDiff = {};
  for (const { address, before, after, cells } of addressed(touched)) {
    const changed = [...cells].filter(([, cell]) => !isSameCell(cell));
    if (isSame(before, after) && changed.length === 0) continue;
    const delta = deltaOf(before, after);
    diff[toData(address)] = {
      balance: delta(toQuantity(before.balance), toQuantity(after.balance)),
      nonce: delta(toQuantity(before.nonce), toQuantity(after.nonce)),
      code:
        equalBytes(before.code, after.code) && before.exists === after.exists
          ? "="
          : delta(toData(before.code), toData(after.code)),
      storage: Object.fromEntries(changed.map(([slot, cell]) => [cellData(slot), cellDelta(cell, delta)])),
    };
  }
  return diff;
}

type DeltaOf = (from: string, to: string) => Delta;

/** How the members of an account are shown, which depends on whether it is new or gone. */
function deltaOf(before: AccountContent, after: AccountContent): DeltaOf {
  if (!before.exists && after.exists) return (_from, to) => ({ "+": to });
  if (before.exists && !after.exists) return (from) => ({ "-": from });
  return (from, to) => (from === to ? "=" : { "*": { from, to } });
}

const ZERO = new Uint8Array(32);

function cellDelta({ before, after }: CellChange, delta: DeltaOf): Delta {
  return delta(cellData(before ?? ZERO), cellData(after ?? ZERO));
}
