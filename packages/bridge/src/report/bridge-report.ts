import { BRIDGE_ADDRESS, type NetworkConfig } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import type { WorldState } from "@cambium/state";
import { activeCoins, retiringCoins } from "../federation/coins.js";
import { parentBlockHash } from "../parent-chain/header-hash.js";
import { feePerKb } from "../releases/fees.js";
import type { BridgeSession } from "../session.js";
import { reportUnion, type UnionReport } from "../union.js";
import { lockingCap } from "../votes/locking-cap.js";
import { type FederationsReport, reportFederations } from "./federation-report.js";
import { type PegOutsReport, reportPegOuts } from "./peg-out-report.js";
import { readingSession } from "./reading-session.js";

/** Number and total value, in satoshi, of a federation's UTXOs. */
export interface CoinsReport {
  count: number;
  value: bigint;
}

/** The bridge's state after a block, for operators and their tools. */
export interface BridgeReport {
  /** Best parent-chain header that the bridge has; the hash is hex in display order. */
  parentChain: { height: number; hash: string };
  /** Parent blocks that a peg-in needs, and blocks of this chain after which a created transaction can be signed. */
  requiredConfirmations: { pegIn: number; pegOut: number };
  /** Maximum satoshi that may be pegged in. */
  lockingCap: bigint;
  /** Satoshi per 1000 bytes. */
  feePerKb: bigint;
  /** Wei remaining in the bridge's account. */
  balance: bigint;
  coins: { active: CoinsReport; retiring: CoinsReport | undefined };
  federations: FederationsReport;
  /** First block in which the queue may be paid (RSKIP-271). */
  nextPegOutBlock: number;
  pegOuts: PegOutsReport;
  union: UnionReport;
}

function reportCoins(session: BridgeSession): BridgeReport["coins"] {
  const sum = (coins: readonly { value: bigint }[]): CoinsReport => ({
    count: coins.length,
    value: coins.reduce((total, { value }) => total + value, 0n),
  });
  const retiring = session.federations.retiring === undefined ? undefined : sum(retiringCoins(session).coins);
  return { active: sum(activeCoins(session).coins), retiring };
}

/**
 * Reads the bridge's state. `state` is the state after block `number`; discard it afterwards. Throws
 * {@link BridgeError} if a cell is malformed.
 */
export function reportBridge(network: NetworkConfig, number: number, state: WorldState): BridgeReport {
  const session = readingSession(network, number, state);
  const head = session.blocks.head();
  const { parentConfirmations, releaseConfirmations } = network.bridge;
  return {
    parentChain: { height: head.height, hash: toHex(parentBlockHash(head.header)) },
    requiredConfirmations: { pegIn: parentConfirmations, pegOut: releaseConfirmations },
    lockingCap: lockingCap(session),
    feePerKb: feePerKb(session),
    balance: state.getBalance(BRIDGE_ADDRESS),
    coins: reportCoins(session),
    federations: reportFederations(session),
    nextPegOutBlock: session.nextPegOutHeight(),
    pegOuts: reportPegOuts(session),
    union: reportUnion(session),
  };
}
