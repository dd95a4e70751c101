import { BRIDGE_ADDRESS } from "@cambium/config";
import {
  type AbiType,
  type AbiValue,
  abiType,
  encodeRlp,
  encodeValues,
  hash160,
  joinBytes,
  keccak256,
  leftPad,
  toHex,
  utf8,
} from "@cambium/primitives";
import { encodeTransaction, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { encodeVariable } from "../bitcoin/variable-integer.js";
import { keyAddress } from "../federation/key-address.js";
import type { FederationMember } from "../model/federation.js";
import { WEI_PER_SATOSHI } from "../payment.js";
import type { BridgeSession } from "../session.js";

// Events of the peg: spec/06b-3 §10. Ids of parent-chain transactions are in display order.

interface PegEvent {
  topic: Uint8Array;
  /** Types of the arguments that are not indexed; indexed values are passed as bytes. */
  data: readonly AbiType[];
}

function pegEvent(name: string, indexed: readonly string[], data: readonly string[]): PegEvent {
  const signature = `${name}(${[...indexed, ...data].join(",")})`;
  return { topic: keccak256(utf8(signature)), data: data.map(abiType) };
}

const LOCK = pegEvent("lock_btc", ["address"], ["bytes32", "string", "int256"]);
const PEG_IN = pegEvent("pegin_btc", ["address", "bytes32"], ["int256", "int256"]);
const REJECTED_PEG_IN = pegEvent("rejected_pegin", ["bytes32"], ["int256"]);
const UNREFUNDABLE_PEG_IN = pegEvent("unrefundable_pegin", ["bytes32"], ["int256"]);
const UPDATE_COLLECTIONS = pegEvent("update_collections", [], ["address"]);
const ADD_SIGNATURE = pegEvent("add_signature", ["bytes32", "address"], ["bytes"]);
const RELEASE = pegEvent("release_btc", ["bytes32"], ["bytes"]);
const COMMIT_FAILED = pegEvent("commit_federation_failed", [], ["bytes", "int256"]);
const RELEASE_REQUESTED = pegEvent("release_requested", ["bytes32", "bytes32"], ["uint256"]);
const REQUEST_RECEIVED = pegEvent("release_request_received", ["address"], ["string", "uint256"]);
const REQUEST_RECEIVED_BEFORE_RSKIP326 = pegEvent("release_request_received", ["address"], ["bytes", "uint256"]);
const REQUEST_REJECTED = pegEvent("release_request_rejected", ["address"], ["uint256", "int256"]);
const BATCH_CREATED = pegEvent("batch_pegout_created", ["bytes32"], ["bytes"]);
const PEG_OUT_CONFIRMED = pegEvent("pegout_confirmed", ["bytes32"], ["uint256"]);
const TRANSACTION_CREATED = pegEvent("pegout_transaction_created", ["bytes32"], ["bytes"]);

/** Topics of the events that a {@link PegLedger} is made of. */
export const LEDGER_TOPICS = {
  updateCollections: UPDATE_COLLECTIONS.topic,
  batchCreated: BATCH_CREATED.topic,
  transactionCreated: TRANSACTION_CREATED.topic,
  released: RELEASE.topic,
  pegInRejected: REJECTED_PEG_IN.topic,
  requestReceived: REQUEST_RECEIVED.topic,
  requestRejected: REQUEST_REJECTED.topic,
} as const;

function emit(
  { context }: BridgeSession,
  event: PegEvent,
  indexed: readonly Uint8Array[],
  ...values: readonly AbiValue[]
): void {
  context.log({
    address: BRIDGE_ADDRESS,
    // Copies: a hash may be a view of the call's data.
    topics: [event.topic, ...indexed.map((value) => leftPad(value, 32).slice())],
    data: encodeValues(event.data, values),
  });
}

/** The form before RSKIP-146: the name as topic and RLP data. */
function emitNamed({ context }: BridgeSession, name: string, data: Uint8Array): void {
  context.log({ address: BRIDGE_ADDRESS, topics: [leftPad(utf8(name), 32)], data });
}

/** Concatenated values of spent outputs, the form used in events and cells. */
export function encodeOutpointValues(values: readonly bigint[]): Uint8Array {
  return joinBytes(values.map(encodeVariable));
}

/** The requested amount in wei from RSKIP-427 on, in satoshi before. */
function requestedAmount({ rules }: BridgeSession, wei: bigint): bigint {
  return rules.rskip427 ? wei : wei / WEI_PER_SATOSHI;
}

export const pegEvents = {
  lock(session: BridgeSession, to: Uint8Array, txid: Uint8Array, sender: string, satoshi: bigint): void {
    emit(session, LOCK, [to], txid, sender, satoshi);
  },

  pegIn(session: BridgeSession, to: Uint8Array, txid: Uint8Array, satoshi: bigint, version: number): void {
    emit(session, PEG_IN, [to, txid], satoshi, BigInt(version));
  },

  rejectedPegIn(session: BridgeSession, txid: Uint8Array, reason: number): void {
    emit(session, REJECTED_PEG_IN, [txid], BigInt(reason));
  },

  unrefundablePegIn(session: BridgeSession, txid: Uint8Array, reason: number): void {
    emit(session, UNREFUNDABLE_PEG_IN, [txid], BigInt(reason));
  },

  updateCollections(session: BridgeSession): void {
    const { caller } = session.context;
    if (session.rules.rskip146) emit(session, UPDATE_COLLECTIONS, [], caller);
    else emitNamed(session, "update_collections_topic", encodeRlp(caller));
  },

  /**
   * Emits the addition of a signature. `key` is the key of the release. The address is the member's own from RSKIP-415
   * on, before that the address of its parent-chain key.
   */
  addSignature(
    session: BridgeSession,
    key: Uint8Array,
    member: FederationMember,
    transaction: ParentTransaction,
  ): void {
    if (session.rules.rskip146) {
      const address = keyAddress(session.rules.rskip415 ? member.rsk : member.btc);
      emit(session, ADD_SIGNATURE, [key, address], member.btc);
      return;
    }
    const txid = utf8(toHex(transactionId(transaction)));
    emitNamed(session, "add_signature_topic", encodeRlp([txid, hash160(member.btc), key]));
  },

  release(session: BridgeSession, key: Uint8Array, transaction: ParentTransaction): void {
    const raw = encodeTransaction(transaction);
    if (session.rules.rskip146) {
      emit(session, RELEASE, [key], raw);
      return;
    }
    emitNamed(session, "release_btc_topic", encodeRlp([utf8(toHex(transactionId(transaction))), raw]));
  },

  commitFailed(session: BridgeSession, redeem: Uint8Array): void {
    emit(session, COMMIT_FAILED, [], redeem, BigInt(session.context.block.number));
  },

  /** Emits nothing before RSKIP-146. */
  releaseRequested(session: BridgeSession, key: Uint8Array, txid: Uint8Array, satoshi: bigint): void {
    if (session.rules.rskip146) emit(session, RELEASE_REQUESTED, [key, txid], satoshi);
  },

  requestReceived(session: BridgeSession, destination: Uint8Array, address: string, wei: bigint): void {
    const { rules, context } = session;
    if (rules.rskip326) emit(session, REQUEST_RECEIVED, [context.caller], address, requestedAmount(session, wei));
    else emit(session, REQUEST_RECEIVED_BEFORE_RSKIP326, [context.caller], destination, wei / WEI_PER_SATOSHI);
  },

  requestRejected(session: BridgeSession, wei: bigint, reason: number): void {
    emit(session, REQUEST_REJECTED, [session.context.caller], requestedAmount(session, wei), BigInt(reason));
  },

  batchCreated(session: BridgeSession, txid: Uint8Array, requests: readonly Uint8Array[]): void {
    emit(session, BATCH_CREATED, [txid], joinBytes(requests));
  },

  confirmed(session: BridgeSession, txid: Uint8Array, creationBlock: number): void {
    emit(session, PEG_OUT_CONFIRMED, [txid], BigInt(creationBlock));
  },

  transactionCreated(session: BridgeSession, txid: Uint8Array, values: readonly bigint[]): void {
    emit(session, TRANSACTION_CREATED, [txid], encodeOutpointValues(values));
  },
} as const;
