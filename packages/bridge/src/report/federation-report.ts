import { toData, toHex } from "@cambium/primitives";
import { encodeTransaction } from "../bitcoin/transaction.js";
import { federationAddress } from "../federation/script.js";
import {
  activationAge,
  type Federation,
  type FederationMember,
  federationThreshold,
  pendingFederationHash,
} from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { fundId, signedFund, spendId, spendToSign } from "../svp/proposal.js";
import { describeUnsigned, type UnsignedReport } from "./peg-out-report.js";

/** A member's compressed keys in hex. */
export interface MemberReport {
  btc: string;
  rsk: string;
  mst: string;
}

/** A federation as shown to operators. */
export interface FederationReport {
  /** Base58 address on the parent chain. */
  address: string;
  /** Format of its redeem script: 1000, 2000, 3000 or 4000 (`spec/06b-2 §1.2`). */
  format: number;
  members: MemberReport[];
  threshold: number;
  creationBlock: number;
  creationTimeMillis: number;
}

/** Progress of a proposed federation's proof that it can sign (RSKIP-419). */
export interface ProposedFederationReport extends FederationReport {
  validation: "not begun" | "funding" | "funded" | "signing" | "spent";
  /** First block in which the proposal counts as failed. */
  validationEnds: number;
  /** Transaction with which the proposed federation proves that it can sign, while it collects signatures. */
  spend: UnsignedReport | undefined;
}

export interface FederationsReport {
  active: FederationReport;
  retiring: FederationReport | undefined;
  /** Committed; becomes the active federation in block `activationBlock`. */
  next: (FederationReport & { activationBlock: number }) | undefined;
  proposed: ProposedFederationReport | undefined;
  /** Federation under election; commit votes refer to it by `hash`. */
  pending: { hash: string; members: MemberReport[] } | undefined;
}

function describeMember({ btc, rsk, mst }: FederationMember): MemberReport {
  return { btc: toHex(btc), rsk: toHex(rsk), mst: toHex(mst) };
}

function describe(federation: Federation, { network, rules }: BridgeSession): FederationReport {
  return {
    address: federationAddress(federation, network, rules),
    format: federation.format,
    members: federation.members.map(describeMember),
    threshold: federationThreshold(federation),
    creationBlock: federation.creationBlock,
    creationTimeMillis: Number(federation.creationTimeMillis),
  };
}

function describeNext(session: BridgeSession): FederationsReport["next"] {
  const { storage, network, rules } = session;
  const current = storage.newFederation;
  if (current === undefined || current === session.activeFederation) return undefined;
  return { ...describe(current, session), activationBlock: current.creationBlock + activationAge(network, rules) };
}

function validationStage(session: BridgeSession): ProposedFederationReport["validation"] {
  if (spendToSign.get(session) !== undefined) return "signing";
  if (spendId.get(session) !== undefined) return "spent";
  if (signedFund.get(session) !== undefined) return "funded";
  return fundId.get(session) === undefined ? "not begun" : "funding";
}

function describeProposed(session: BridgeSession): ProposedFederationReport | undefined {
  const proposed = session.storage.proposedFederation;
  if (proposed === undefined) return undefined;
  const spend = spendToSign.get(session);
  return {
    ...describe(proposed, session),
    spend: spend && describeUnsigned(session, spend.key, encodeTransaction(spend.transaction)),
    validation: validationStage(session),
    validationEnds: proposed.creationBlock + session.network.bridge.validationPeriod,
  };
}

/** `spec/06b-2 §1.6`. */
export function reportFederations(session: BridgeSession): FederationsReport {
  const { active, retiring } = session.federations;
  const pending = session.storage.pendingFederation;
  return {
    active: describe(active, session),
    retiring: retiring === undefined ? undefined : describe(retiring, session),
    next: describeNext(session),
    proposed: describeProposed(session),
    pending:
      pending === undefined
        ? undefined
        : { hash: toData(pendingFederationHash(pending)), members: pending.map(describeMember) },
  };
}
