import { encodeRlp, numberToBytes, RawRlp } from "@cambium/primitives";
import type { Implementations } from "./abi/implementation.js";
import { minimumPegIn } from "./peg-in/minimum-peg-in.js";
import { estimatedFeesForNextPegOut, estimatedFeesForPegOut } from "./peg-out/fee-estimates.js";
import { feePerKb } from "./releases/fees.js";
import { loadRequests } from "./releases/release-lists.js";
import { releaseQueue, unconfirmedReleases } from "./releases/release-queue.js";
import type { BridgeSession } from "./session.js";
import { CELLS, EMPTY_LIST } from "./storage/cells.js";
import { lockingCap } from "./votes/locking-cap.js";

/** `spec/06a §4.2`. */
function debugState(session: BridgeSession): Uint8Array {
  const { storage, rules } = session;
  const queue = releaseQueue(session);
  const unconfirmed = unconfirmedReleases(session);
  return encodeRlp([
    numberToBytes(session.blocks.head().height),
    storage.loadList(storage.newFederationUtxosKey),
    storage.loadList(CELLS.waitingForSignatures),
    rules.rskip146 ? queue.withHash : queue.plain,
    rules.rskip146 ? unconfirmed.withHash : unconfirmed.plain,
    encodeRlp(numberToBytes(session.nextPegOutHeight())),
  ]);
}

/** Getters of queues, caps and fees: `spec/06b-1 §2.2`, `spec/06b-2 §4`, `§5`, `spec/06b-3 §6.6`. */
export const stateGetters: Implementations = {
  "getStateForBtcReleaseClient()": ({ storage }) =>
    encodeRlp([new RawRlp(storage.loadList(CELLS.waitingForSignatures))]),
  "getStateForSvpClient()": ({ storage }) =>
    encodeRlp([new RawRlp(storage.read(CELLS.svpSpendWaitingForSignatures) ?? EMPTY_LIST)]),
  "getStateForDebugging()": debugState,

  "getQueuedPegoutsCount()": (session) => BigInt(loadRequests(session).length),
  "getNextPegoutCreationBlockNumber()": (session) => BigInt(session.nextPegOutHeight()),
  "getEstimatedFeesForNextPegOutEvent()": estimatedFeesForNextPegOut,
  "getEstimatedFeesForPegOutAmount(uint256)": estimatedFeesForPegOut,

  "getFeePerKb()": feePerKb,
  "getLockingCap()": lockingCap,
  "getMinimumLockTxValue()": minimumPegIn,
};
