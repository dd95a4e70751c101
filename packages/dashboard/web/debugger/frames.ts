import type { CallFrame, Hex } from "../node/types.js";

/** A call of a transaction, and its position in the tree. */
export interface PlacedFrame {
  frame: CallFrame;
  depth: number;
  /** Gas used before this call within its transaction, as far as the tree shows it: siblings appear side by side. */
  start: number;
}

/** Returns the rows of a tree of calls: callers before their calls. */
export function flattened(root: CallFrame, maximum: number): PlacedFrame[] {
  const rows: PlacedFrame[] = [];
  const add = (frame: CallFrame, depth: number, start: number) => {
    if (rows.length >= maximum) return;
    rows.push({ frame, depth, start });
    let next = start;
    for (const inner of frame.calls ?? []) {
      add(inner, depth + 1, next);
      next += Number(inner.gasUsed ?? 0);
    }
  };
  add(root, 0, 0);
  return rows;
}

export function isCreation({ type }: CallFrame): boolean {
  return type.startsWith("CREATE");
}

/**
 * Returns the key of a call's contract for `useArtifact`. It is the address, or the creation code of a contract that
 * does not exist because the transaction failed.
 */
export function contractKey(frame: CallFrame, root: CallFrame): Hex | undefined {
  const isUndone = frame.error !== undefined || root.error !== undefined;
  if (isCreation(frame)) return isUndone ? frame.input : frame.to;
  return root.error === undefined ? frame.to : (creationOf(frame.to, root) ?? frame.to);
}

function creationOf(address: Hex | undefined, root: CallFrame): Hex | undefined {
  if (isCreation(root) && root.to === address) return root.input;
  for (const inner of root.calls ?? []) {
    const input = creationOf(address, inner);
    if (input !== undefined) return input;
  }
  return undefined;
}

/**
 * Returns the call in which a failure began, and the number of calls around it; undefined if the transaction succeeded.
 */
export function originOfFailure(root: CallFrame): { frame: CallFrame; depth: number } | undefined {
  if (root.error === undefined) return undefined;
  let origin = { frame: root, depth: 0 };
  for (;;) {
    const { frame, depth } = origin;
    // A caller that passes a failure on returns the same bytes.
    const inner = (frame.calls ?? []).findLast((one) => one.error !== undefined);
    if (inner === undefined || (inner.output ?? "0x") !== (frame.output ?? "0x")) return origin;
    origin = { frame: inner, depth: depth + 1 };
  }
}
