import { type NetworkConfig, rulesAt } from "@cambium/config";
import { bytesToBigint, bytesToNumber, toHex } from "@cambium/primitives";
import { hasWitness, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { withoutSignatures } from "../bitcoin/unsigned-form.js";
import { LEDGER_TOPICS } from "../events/peg-events.js";
import { WEI_PER_SATOSHI } from "../payment.js";
import { CALLED_BY_CONTRACT } from "../peg-out/request.js";
import { decodeOutpointValues } from "../releases/settle.js";

// Facts that only the events of the bridge tell: spec/06b-3 §10.

/** A log of the bridge and its position. */
export interface BridgeLog {
  readonly log: { readonly topics: readonly Uint8Array[]; readonly data: Uint8Array };
  readonly blockNumber: number;
  readonly transactionHash: Uint8Array;
}

/** Sums over the bridge's events. */
export interface PegLedger {
  /** Wei received with peg-out requests that no peg-out pays: less than a satoshi, or from contracts. */
  kept: bigint;
  /**
   * Satoshi spent by transactions whose fee no recipient pays, by unsigned id (hex): migrations and proofs of proposed
   * federations.
   */
  borne: Map<string, bigint>;
  /** Raw transactions that collected all signatures. */
  signed: Uint8Array[];
  /** Ids in hex of peg-ins that were rejected. */
  rejected: Set<string>;
}

/** Topics of the logs that {@link pegLedger} reads. */
export const LEDGER_EVENTS: readonly Uint8Array[] = Object.values(LEDGER_TOPICS);

const NAMES = new Map(Object.entries(LEDGER_TOPICS).map(([name, topic]) => [toHex(topic), name]));
const WORD = 32;

function word(data: Uint8Array, index: number): bigint {
  return bytesToBigint(data.subarray(index * WORD, (index + 1) * WORD));
}

/** The only argument, a byte string. */
function onlyBytes(data: Uint8Array): Uint8Array {
  const length = bytesToNumber(data.subarray(WORD, 2 * WORD), "length in an event");
  return data.subarray(2 * WORD, 2 * WORD + length);
}

/** Reads logs in the order in which they were written. The forms of events are those from RSKIP-428 on. */
export function pegLedger(network: NetworkConfig, logs: Iterable<BridgeLog>): PegLedger {
  const ledger: PegLedger = { kept: 0n, borne: new Map(), signed: [], rejected: new Set() };
  /**
   * Transaction in which `updateCollections` was called last: no other call creates transactions whose fee no recipient
   * pays.
   */
  let updating = "";
  for (const { log, blockNumber, transactionHash } of logs) {
    const { topics, data } = log;
    switch (NAMES.get(toHex(topics[0]!))) {
      case "updateCollections":
        updating = toHex(transactionHash);
        break;
      case "transactionCreated": {
        if (updating !== toHex(transactionHash)) break;
        const spent = decodeOutpointValues(onlyBytes(data)).reduce((sum, value) => sum + value, 0n);
        ledger.borne.set(toHex(topics[1]!), spent);
        break;
      }
      case "batchCreated":
        ledger.borne.delete(toHex(topics[1]!));
        break;
      case "released":
        ledger.signed.push(onlyBytes(data));
        break;
      case "pegInRejected":
        ledger.rejected.add(toHex(topics[1]!));
        break;
      case "requestReceived":
        // Before RSKIP-427 the amount is in satoshi.
        if (rulesAt(network, blockNumber).rskip427) ledger.kept += word(data, 1) % WEI_PER_SATOSHI;
        break;
      case "requestRejected":
        if (word(data, 1) === BigInt(CALLED_BY_CONTRACT)) ledger.kept += word(data, 0);
        break;
    }
  }
  return ledger;
}

/** Id in hex of a transaction before it was signed. Signatures of witnesses leave it unchanged. */
export function unsignedId(transaction: ParentTransaction): string {
  const unsigned = hasWitness(transaction) ? transaction : withoutSignatures(transaction);
  return toHex(transactionId(unsigned ?? transaction));
}
