import { type AbiValue, bigintToBytes, bytesToBigint, decodeRlpItem, encodeRlp } from "@cambium/primitives";
import { fitsInt64, type Implementations } from "../abi/implementation.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { Election, isAmong } from "./election.js";
import { lockingCap } from "./locking-cap.js";

const MAXIMUM_FEE_PER_KB = 5_000_000n;
const CAP_MULTIPLIER = 2n;

const SUCCESS = 1n;
const REFUSED_VOTE = -1n;
const EXCESSIVE = -2n;
const ERROR = -10n;

/** Votes for a fee per kB (`spec/06b-2 §4`). */
function voteFeePerKb(session: BridgeSession, fee: bigint): AbiValue {
  const { storage, context } = session;
  const { feePerKb: authorizers } = session.network.bridge.authorizers;
  if (!fitsInt64(fee) || !isAmong(authorizers, context.caller)) return ERROR;
  if (fee <= 0n) return REFUSED_VOTE;
  if (fee > MAXIMUM_FEE_PER_KB) return EXCESSIVE;

  const election = Election.decode(storage.loadList(CELLS.feePerKbElection), authorizers);
  if (election === undefined) return session.fail("voteFeePerKbChange", "a stored voter is not an authorizer");
  const accepted = election.vote({ name: "setFeePerKb", args: [encodeRlp(bigintToBytes(fee))] }, context.caller);
  const winner = accepted ? election.winner() : undefined;
  if (winner !== undefined) {
    storage.write(CELLS.feePerKb, encodeRlp(bigintToBytes(bytesToBigint(decodeRlpItem(winner.args[0]!).bytes))));
    election.clear();
  }
  storage.write(CELLS.feePerKbElection, election.encode());
  return accepted ? SUCCESS : REFUSED_VOTE;
}

/** `spec/06b-2 §5`: a single authorizer decides. */
function increaseLockingCap(session: BridgeSession, cap: bigint): boolean {
  if (!fitsInt64(cap) || cap <= 0n) session.fail("increaseLockingCap", "not a positive amount");
  if (!isAmong(session.network.bridge.authorizers.lockingCap, session.context.caller)) return false;
  const present = lockingCap(session);
  if (cap < present) return false;
  const maximum = present * CAP_MULTIPLIER;
  // Amounts are 64-bit integers in the deployed client, which throws if this product overflows.
  if (!fitsInt64(maximum)) session.fail("increaseLockingCap", "the cap is too high to be doubled");
  if (cap > maximum) return false;
  session.storage.write(CELLS.lockingCap, encodeRlp(bigintToBytes(cap)));
  return true;
}

/** Methods that change the fee per kB and the locking cap. */
export const feeAndCapVotes: Implementations = {
  "voteFeePerKbChange(int256)": (session, [fee]) => voteFeePerKb(session, fee as bigint),
  "increaseLockingCap(int256)": (session, [cap]) => increaseLockingCap(session, cap as bigint),
};
