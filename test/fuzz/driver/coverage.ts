/** Maximum number of branches that can be counted. The packages have a quarter of it. */
const MAX_BRANCHES = 1 << 17;
/** Number of classes for the count of a branch: 1, 2–3, 4–7, …, 128 or more. */
const BUCKETS = 8;

const counts = new Uint32Array(MAX_BRANCHES);
const taken = new Uint32Array(MAX_BRANCHES);
let takenCount = 0;

/** Called at each branch of instrumented sources. */
function countBranch(branch: number): void {
  if (counts[branch]!++ === 0) taken[takenCount++] = branch;
}

Object.assign(globalThis, { $countBranch: countBranch });

/** Forgets which branches were taken. */
export function resetBranches(): void {
  for (let i = 0; i < takenCount; i++) counts[taken[i]!] = 0;
  takenCount = 0;
}

/** Returns the branches taken since the last reset. */
export function takenBranches(): Uint32Array {
  return taken.slice(0, takenCount);
}

/** Coverage of some inputs: branches, and how often an input has taken them. */
export class Coverage {
  private readonly seen = new Uint8Array(MAX_BRANCHES);
  branches = 0;

  /**
   * Adds the branches taken since the last reset. Returns whether any is new, or taken more or less often than before.
   */
  add(): boolean {
    let isNew = false;
    for (let i = 0; i < takenCount; i++) {
      const branch = taken[i]!;
      const bucket = 1 << Math.min(31 - Math.clz32(counts[branch]!), BUCKETS - 1);
      const before = this.seen[branch]!;
      if ((before & bucket) !== 0) continue;
      if (before === 0) this.branches++;
      this.seen[branch] = before | bucket;
      isNew = true;
    }
    return isNew;
  }
}
