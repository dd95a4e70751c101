import { SUBMISSIONS, solve, submit, type Work } from "@cambium/test-utils/clients/mining-client";
import { type InteropNode, tipOf } from "./interop-node.js";
import { waitFor } from "./wait-for.js";

let submissions = 0;

/** Mines a block at a node of either client, in the three ways of submission by turns; resolves with its hash. */
export async function mineMerged(node: InteropNode): Promise<string> {
  return submitSolution(node, await freshWork(node));
}

/**
 * Returns the block template of a node that builds on its best block; the deployed client builds it a moment after an
 * import. With `isPaid`, the template has transactions.
 */
export async function freshWork(node: InteropNode, isPaid = false): Promise<Work> {
  const observe = async () => {
    const [work, tip] = await Promise.all([node.rpc.call("mnr_getWork") as Promise<Work>, tipOf(node)]);
    return { work, tip };
  };
  const what = `${node.name} has a block template on its best block`;
  const isFresh = ({ work, tip }: Awaited<ReturnType<typeof observe>>) =>
    work.parentBlockHash === tip.hash && (!isPaid || Number(work.feesPaidToMiner) > 0);
  const { work } = await waitFor(what, observe, isFresh);
  return work;
}

/** Submits a new solution of a block template. */
export async function submitSolution({ rpc }: InteropNode, work: Work): Promise<string> {
  const kind = SUBMISSIONS[submissions % SUBMISSIONS.length]!;
  // The number of transactions makes solutions of one template different.
  const solution = solve(work, 1 + (submissions++ % 7));
  const call = (method: string, ...params: unknown[]) => {
    return rpc.call(method.replace("ParentChain", "Bitcoin"), ...params);
  };
  const { blockHash } = await submit({ call }, kind, solution);
  return blockHash;
}
