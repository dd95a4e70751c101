import type { FailedRequest } from "@cambium/api";
import type { Node } from "@cambium/node";
import { type LineStyle, lineOf } from "./console-line.js";
import { failedCall, type ShownCallFailure } from "./failed-calls.js";
import type { KnownSignatures } from "./known-signatures.js";
import { minedTransactions, type ShownTransaction, textOf } from "./mined-transactions.js";

/** An entry of the console. */
export type Shown = ShownTransaction | ShownCallFailure;

/** Parts of the node that the console uses. */
type WatchedNode = Pick<Node, "chain" | "localMiner" | "onChainReplaced">;

/** Watches the activity of a developer on a node: mined transactions, and calls that fail. */
export class DevConsole {
  private node: WatchedNode | undefined;

  constructor(
    private readonly names: KnownSignatures,
    private readonly show: (shown: Shown) => void,
  ) {}

  /** Shows the transactions of the node's chain from now on, and of those that replace it. */
  watch(node: WatchedNode): void {
    this.node = node;
    this.watchChain(node);
    node.onChainReplaced(() => this.watchChain(node));
  }

  /** A request to the node has failed. */
  requestFailed(request: FailedRequest): void {
    const { node } = this;
    if (node === undefined || node.localMiner?.next.isLogged === false) return;
    const shown = failedCall(request, node.chain, this.names);
    if (shown !== undefined) this.show(shown);
  }

  private watchChain({ chain, localMiner }: WatchedNode): void {
    chain.on((event) => {
      const isMined = event.kind === "newHead" || (event.kind === "reorg" && event.reorganisation.added.length > 0);
      const { isLogged, isTraced: hasCalls } = localMiner!.next;
      if (!isMined || !isLogged || event.block.transactions.length < 2) return;
      for (const shown of minedTransactions(chain, event.block, { names: this.names, hasCalls })) this.show(shown);
    });
  }
}

/** The lines for people. */
export function shownText(shown: Shown, style: LineStyle): string {
  if ("mined" in shown) return textOf(shown, style);
  const { from, to, call } = shown.failed;
  const details = style.isVerbose
    ? [from && `from      ${from}`, to && `to        ${to}`, call && `call      ${call}`]
    : [];
  return [lineOf(shown.line, style), ...details.flatMap((text) => (text ? [`  ${text}`] : []))].join("\n");
}

/** The document for programs. */
export function shownDocument(shown: Shown): object {
  return "mined" in shown ? shown.mined : shown.failed;
}
