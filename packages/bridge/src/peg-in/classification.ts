import type { ParentTransaction } from "../bitcoin/transaction.js";
import { pegConstants } from "../peg-constants.js";
import { isIndexed } from "../peg-out/peg-out-index.js";
import type { BridgeSession } from "../session.js";
import { liveSpenders, pays } from "../spending.js";
import { fundId, hasUnsignedId, spendId } from "../svp/proposal.js";
import { classifyByScripts } from "./script-classification.js";

/** What a parent-chain transaction is to the peg. */
export type PegClass = "peg-in" | "peg-out-or-migration" | "svp-fund" | "svp-spend" | "unknown";

/** `spec/06b-3 §2.1`. `height` is the parent chain's. */
export function classify(session: BridgeSession, transaction: ParentTransaction, height: number): PegClass {
  const { rules, network } = session;
  if (!rules.rskip379 || height < pegConstants(network).pegOutIndexHeight)
    return classifyByScripts(session, transaction);
  if (hasUnsignedId(session, transaction, fundId.get(session))) return "svp-fund";
  if (hasUnsignedId(session, transaction, spendId.get(session))) return "svp-spend";
  if (isIndexed(session, transaction)) return "peg-out-or-migration";
  const spenders = liveSpenders(session);
  return transaction.outputs.some(({ script }) => pays(script, spenders)) ? "peg-in" : "unknown";
}
