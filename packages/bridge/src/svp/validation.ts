import { equalBytes } from "@cambium/primitives";
import { flyoverRedeem } from "../bitcoin/flyover-script.js";
import { redeemHash, scriptHashOutput } from "../bitcoin/script.js";
import { makeOutput, type ParentInput, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import { activeCoins } from "../federation/coins.js";
import { activeSpender, type Spender, spenderOf } from "../federation/spending.js";
import { buildRelease } from "../release-builder/release-builder.js";
import { baseInput } from "../release-builder/release-plan.js";
import { activeWallet } from "../release-builder/wallet.js";
import { estimatedSizeOf, feePerKb } from "../releases/fees.js";
import { announce, settle } from "../releases/settle.js";
import type { BridgeSession } from "../session.js";
import {
  clearProposal,
  fundId,
  PROPOSED_FLYOVER_PREFIX,
  provingFederation,
  signedFund,
  spendId,
  spendToSign,
} from "./proposal.js";

// The proof that a proposed federation can spend its funds: spec/06b-3 §7 (RSKIP-419).

/** Performs the next step of the proof, or its failure. */
export function updateValidation(session: BridgeSession): void {
  const federation = session.storage.proposedFederation;
  if (federation === undefined) return;
  const proposed = spenderOf(session, federation);
  if (provingFederation(session) === undefined) {
    pegEvents.commitFailed(session, proposed.redeem);
    clearProposal(session);
    return;
  }
  const hasBegun = fundId.get(session) ?? signedFund.get(session) ?? spendId.get(session);
  if (hasBegun === undefined) fund(session, proposed);
  const funded = signedFund.get(session);
  if (funded !== undefined) spend(session, proposed, funded);
}

function flyoverOf({ redeem, segwit }: Spender): { redeem: Uint8Array; outputScript: Uint8Array } {
  const prefixed = flyoverRedeem(PROPOSED_FLYOVER_PREFIX, redeem);
  return { redeem: prefixed, outputScript: scriptHashOutput(redeemHash(prefixed, segwit)) };
}

/** Funds the federation and its flyover address; the next call retries if the transaction cannot be built. */
function fund(session: BridgeSession, proposed: Spender): void {
  const value = 2n * session.network.bridge.minimumPegOut.rskip219;
  const result = buildRelease(activeWallet(session), {
    outputs: [
      { value, script: proposed.outputScript },
      { value, script: flyoverOf(proposed).outputScript },
    ],
    changeScript: activeSpender(session).outputScript,
    feePerKb: feePerKb(session),
    recipientsPay: false,
    version: 2,
  });
  if (result.code !== "SUCCESS") return;
  fundId.set(session, transactionId(result.transaction));
  settle(session, activeCoins(session), result, session.context.transactionHash(), 2n * value);
}

/** Creates the transaction that returns both outputs; it can be signed immediately, without confirmations. */
function spend(session: BridgeSession, proposed: Spender, funded: ParentTransaction): void {
  const flyover = flyoverOf(proposed);
  const plain = spendable(funded, proposed, proposed.outputScript, proposed.redeem);
  const prefixed = spendable(funded, proposed, flyover.outputScript, flyover.redeem);
  if (plain === undefined || prefixed === undefined) return;
  const size = Math.floor((estimatedSizeOf(session, proposed, 2, 1) * 12) / 10);
  const fee = (feePerKb(session) * BigInt(size)) / 1000n;
  const value = plain.value + prefixed.value - fee;
  const transaction: ParentTransaction = {
    version: 2,
    inputs: [plain.input, prefixed.input],
    outputs: [makeOutput(value, activeSpender(session).outputScript)],
    lockTime: 0,
  };
  const txid = transactionId(transaction);
  const key = session.context.transactionHash();
  spendId.set(session, txid);
  spendToSign.set(session, { key, transaction });
  signedFund.set(session, undefined);
  pegEvents.releaseRequested(session, key, txid, value);
  announce(session, txid, [plain.value, prefixed.value]);
}

/** Input that spends the first output paying to a script. */
function spendable(
  funded: ParentTransaction,
  spender: Spender,
  script: Uint8Array,
  redeem: Uint8Array,
): { input: ParentInput; value: bigint } | undefined {
  const index = funded.outputs.findIndex((output) => equalBytes(output.script, script));
  if (index < 0) return undefined;
  const outpoint = { txid: transactionId(funded), index, sequence: 0xffffffff };
  return { input: { ...outpoint, ...baseInput(spender.segwit, redeem) }, value: funded.outputs[index]!.value };
}
