import type { ParentTransaction } from "../bitcoin/transaction.js";
import { liveSpenders, outputsTo } from "../federation/spending.js";
import { isIndexed } from "../releases/peg-out-index.js";
import type { BridgeSession } from "../session.js";
import { fundId, hasUnsignedId, spendId } from "../svp/proposal.js";
import { classifyByScripts, type ScriptClass } from "./script-classification.js";

/** Kind of a parent-chain transaction from the peg's point of view. */
export type PegClass = ScriptClass | "svp-fund" | "svp-spend";

/** Classifies a transaction (`spec/06b-3 §2.1`). `height` is the parent chain's. */
export function classify(session: BridgeSession, transaction: ParentTransaction, height: number): PegClass {
  const { rules, network } = session;
  if (!rules.rskip379 || height < network.bridge.pegOutIndexHeight) return classifyByScripts(session, transaction);
  if (hasUnsignedId(session, transaction, fundId.get(session))) return "svp-fund";
  if (hasUnsignedId(session, transaction, spendId.get(session))) return "svp-spend";
  const paid = outputsTo(transaction, liveSpenders(session));
  if (isIndexed(session, transaction)) return "peg-out-or-migration";
  return paid.length > 0 ? "peg-in" : "unknown";
}
