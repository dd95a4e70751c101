import { fromHex, keccak256, leftPad, utf8 } from "@cambium/primitives";

/** Cell of a short name: its ASCII text, right-aligned in 32 bytes (`spec/06a §5.1`). */
export function namedCell(name: string): Uint8Array {
  return leftPad(utf8(name), 32);
}

/** Cell of the union bridge group: hash of the plain name (`spec/06b-1 §2.1`). */
function hashedCell(name: string): Uint8Array {
  return keccak256(utf8(name));
}

/** Cell of a name with an identifier: hash of `name-identifier` (`spec/06a §5.1`). */
export function compoundCell(name: string, identifier: string): Uint8Array {
  return keccak256(utf8(`${name}-${identifier}`));
}

/** The bridge's cells with fixed addresses: `spec/06a §5.1`, `spec/06b-1 §2.1`. */
export const CELLS = {
  newFederation: namedCell("newFederation"),
  newFederationFormatVersion: namedCell("newFederationFormatVersion"),
  oldFederation: namedCell("oldFederation"),
  oldFederationFormatVersion: namedCell("oldFederationFormatVersion"),
  pendingFederation: namedCell("pendingFederation"),
  pendingFederationFormatVersion: namedCell("pendingFederationFormatVersion"),
  proposedFederation: namedCell("proposedFederation"),
  proposedFederationFormatVersion: namedCell("proposedFederationFormatVersion"),
  federationElection: namedCell("federationElection"),
  newFederationUtxos: namedCell("newFederationBtcUTXOs"),
  newFederationUtxosTestRskip284: namedCell("newFederationBtcUTXOsForTestnet"),
  newFederationUtxosTestRskip293: namedCell("newFedBtcUTXOsForTestnetPostHop"),
  oldFederationUtxos: namedCell("oldFederationBtcUTXOs"),
  activeFederationCreationHeight: namedCell("activeFedCreationBlockHeight"),
  nextFederationCreationHeight: namedCell("nextFedCreationBlockHeight"),
  lastRetiredScript: namedCell("lastRetiredFedP2SHScript"),
  processedTransactions: namedCell("btcTxHashesAP"),
  releaseQueue: namedCell("releaseRequestQueue"),
  releaseQueueWithHash: namedCell("releaseRequestQueueWithTxHash"),
  unconfirmedReleases: namedCell("releaseTransactionSet"),
  unconfirmedReleasesWithHash: namedCell("releaseTransactionSetWithTxHash"),
  waitingForSignatures: namedCell("rskTxsWaitingFS"),
  nextPegOutHeight: namedCell("nextPegoutHeight"),
  svpFundHash: namedCell("svpFundTxHashUnsigned"),
  svpFundSigned: namedCell("svpFundTxSigned"),
  svpSpendHash: namedCell("svpSpendTxHashUnsigned"),
  svpSpendWaitingForSignatures: namedCell("svpSpendTxWaitingForSignatures"),
  whitelist: namedCell("lockWhitelist"),
  unlimitedWhitelist: namedCell("unlimitedLockWhitelist"),
  feePerKb: namedCell("feePerKb"),
  feePerKbElection: namedCell("feePerKbElection"),
  lockingCap: namedCell("lockingCap"),
  receiveHeadersLastTimestamp: namedCell("receiveHeadersLastTimestamp"),
  chainHead: namedCell("blockStoreChainHead"),
  unionContractAddress: hashedCell("unionBridgeContractAddress"),
  unionTransferred: hashedCell("weisTransferredToUnionBridge"),
  unionRequestEnabled: hashedCell("unionBridgeRequestEnabled"),
  unionReleaseEnabled: hashedCell("unionBridgeReleaseEnabled"),
  unionLockingCap: hashedCell("unionBridgeLockingCap"),
  superEvent: hashedCell("superEvent"),
  baseEvent: hashedCell("baseEvent"),
} as const satisfies Record<string, Uint8Array>;

/** Value written for an absent list once it was loaded (`spec/06a §8`, quirk 11). */
export const EMPTY_LIST: Uint8Array = fromHex("c0");
