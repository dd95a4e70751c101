import { sha256d } from "@cambium/merged-mining";
import {
  type AbiArgument,
  CambiumError,
  concatBytes,
  encodeRlp,
  equalBytes,
  keccak256,
  reverseBytes,
  toHex,
} from "@cambium/primitives";
import { isNodeFailure } from "@cambium/state";
import { toInt32 } from "../abi/implementation.js";
import { addressBytes, type ParentAddress } from "../bitcoin/address.js";
import { flyoverRedeem } from "../bitcoin/flyover-script.js";
import { isScriptHashOutput, parseScript, publicKeyHashOf, redeemHash, scriptHashOutput } from "../bitcoin/script.js";
import { type ParentTransaction, parseCheckedTransaction, transactionId } from "../bitcoin/transaction.js";
import { BridgeError } from "../errors.js";
import { activeCoins, coinsPaying, retiringCoins } from "../federation/coins.js";
import { activeSpender, inspectOutputs, retiringSpender, type Spender } from "../federation/spending.js";
import { isIncluded } from "../parent-chain/inclusion.js";
import { pay, WEI_PER_SATOSHI } from "../payment.js";
import { flyoverInformationCell } from "../release-builder/wallet.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";
import { surpassesLockingCap } from "../votes/locking-cap.js";
import { minimumPegIn } from "./minimum-peg-in.js";
import { type Payee, paidTo, refund } from "./refund.js";

// registerFastBridgeBtcTransaction: spec/06b-3 §9 (RSKIP-176).

const METHOD = "registerFastBridgeBtcTransaction";

const REFUNDED_TO_USER = -100n;
const REFUNDED_TO_PROVIDER = -200n;
const NOT_A_CONTRACT = -300n;
const WRONG_CALLER = -301n;
const ALREADY_PROCESSED = -302n;
const NOT_PROVEN = -303n;
const NOTHING_PAID = -304n;
const BELOW_MINIMUM = -305n;
const ERROR = -900n;

const PRESENT = Uint8Array.of(1);

/** Returns wei, or a negative error code. Errors are returned as a code too, and changes made before them are kept. */
export function registerFlyover(session: BridgeSession, args: readonly AbiArgument[]): bigint {
  try {
    return register(session, readArguments(session, args));
  } catch (error) {
    if (error instanceof CambiumError && !isNodeFailure(error)) return ERROR;
    throw error;
  }
}

interface FlyoverArguments {
  readonly raw: Uint8Array;
  readonly height: number;
  readonly tree: Uint8Array;
  readonly detailsHash: Uint8Array;
  readonly user: ParentAddress;
  readonly contract: Uint8Array;
  readonly provider: ParentAddress;
  readonly toProvider: boolean;
}

function readArguments(session: BridgeSession, args: readonly AbiArgument[]): FlyoverArguments {
  const [raw, height, tree, detailsHash, user, contract, provider, toProvider] = args;
  return {
    raw: raw as Uint8Array,
    height: toInt32(height!),
    tree: tree as Uint8Array,
    detailsHash: detailsHash as Uint8Array,
    user: readAddress(session, user as Uint8Array),
    contract: contract as Uint8Array,
    provider: readAddress(session, provider as Uint8Array),
    toProvider: toProvider as boolean,
  };
}

/**
 * Version byte and hash. Before RSKIP-284 the version was a signed byte, which excludes P2SH addresses of the test
 * networks, and bytes after the hash were ignored.
 */
function readAddress(session: BridgeSession, bytes: Uint8Array): ParentAddress {
  const { rskip284 } = session.rules;
  const isLong = rskip284 ? bytes.length === 21 : bytes.length >= 21;
  const hash = bytes.subarray(1, 21);
  for (const kind of ["key", "script"] as const) {
    const version = addressBytes(session, { kind, hash })[0]!;
    if (isLong && bytes[0] === version && (rskip284 || version < 0x80)) return { kind, hash };
  }
  return session.fail(METHOD, "not an address of this network");
}

function register(session: BridgeSession, args: FlyoverArguments): bigint {
  const { context, rules } = session;
  if (context.kind === "transaction") return NOT_A_CONTRACT;
  if (!equalBytes(context.caller, args.contract)) return WRONG_CALLER;
  const derivation = derivationHash(session, args);
  if (isUsed(session, reverseBytes(sha256d(args.raw)), derivation)) return ALREADY_PROCESSED;
  if (!isIncluded(session, args.raw, args.height, args.tree)) return NOT_PROVEN;
  const transaction = parseCheckedTransaction(args.raw);
  if (isUsed(session, transactionId(transaction), derivation)) return ALREADY_PROCESSED;
  const payees = flyoverPayees(session, derivation);
  if (rules.rskip293) inspectOutputs(transaction);
  else requireAddresses(transaction);
  const paid = paidTo(transaction, payees);
  const total = paid.reduce((sum, coin) => sum + coin.value, 0n);
  if (total === 0n) return NOTHING_PAID;
  const minimum = minimumPegIn(session);
  if (rules.rskip293 && paid.some(({ value }) => value < minimum)) return BELOW_MINIMUM;
  if (surpassesLockingCap(session, total)) return refundPegIn(session, args, transaction, derivation, payees, total);
  pay(session, args.contract, total * WEI_PER_SATOSHI);
  enter(session, transaction, derivation, payees);
  return total * WEI_PER_SATOSHI;
}

/** Hash of the parties and terms, which makes the flyover addresses unique. */
function derivationHash(
  session: BridgeSession,
  { detailsHash, user, contract, provider }: FlyoverArguments,
): Uint8Array {
  return keccak256(concatBytes(detailsHash, addressBytes(session, user), contract, addressBytes(session, provider)));
}

function usedCell(txid: Uint8Array, derivation: Uint8Array): Uint8Array {
  return compoundCell("fastBridgeHashUsedInBtcTx", toHex(txid) + toHex(derivation));
}

function isUsed({ storage }: BridgeSession, txid: Uint8Array, derivation: Uint8Array): boolean {
  return storage.read(usedCell(txid, derivation)) !== undefined;
}

function markUsed({ storage }: BridgeSession, txid: Uint8Array, derivation: Uint8Array): void {
  storage.write(usedCell(txid, derivation), PRESENT);
}

interface FlyoverPayee extends Payee {
  readonly spender: Spender;
  readonly hash: Uint8Array;
}

function flyoverPayee(spender: Spender, derivation: Uint8Array): FlyoverPayee {
  const { segwit, signers, defaultRedeem } = spender;
  const redeem = flyoverRedeem(derivation, spender.redeem);
  const hash = redeemHash(redeem, segwit);
  return { spender, hash, redeem, segwit, signers, defaultRedeem, outputScript: scriptHashOutput(hash) };
}

/** The active federation's flyover address and, from RSKIP-293 on, the retiring one's. */
function flyoverPayees(session: BridgeSession, derivation: Uint8Array): FlyoverPayee[] {
  const retiring = session.rules.rskip293 ? retiringSpender(session) : undefined;
  const spenders = [activeSpender(session), ...(retiring === undefined ? [] : [retiring])];
  return spenders.map((spender) => flyoverPayee(spender, derivation));
}

/** Requires that every output pays to a public-key hash or a script hash, as before RSKIP-293. */
function requireAddresses({ outputs }: ParentTransaction): void {
  for (const { script } of outputs) {
    if (isScriptHashOutput(script) || publicKeyHashOf(parseScript(script)) !== undefined) continue;
    throw new BridgeError({ code: "PARENT_SCRIPT", reason: "an output without an address" });
  }
}

/** Refunds coins above the locking cap to the provider or the user, keyed by the outermost transaction's hash. */
function refundPegIn(
  session: BridgeSession,
  { toProvider, provider, user }: FlyoverArguments,
  transaction: ParentTransaction,
  derivation: Uint8Array,
  payees: readonly FlyoverPayee[],
  total: bigint,
): bigint {
  markUsed(session, transactionId(transaction), derivation);
  const addresses = new Set(payees.map(({ hash }) => toHex(hash)));
  if (addresses.size < payees.length) session.fail(METHOD, "both federations have the same flyover address");
  refund(session, transaction, payees, toProvider ? provider : user, session.context.transaction.hash, total);
  return toProvider ? REFUNDED_TO_PROVIDER : REFUNDED_TO_USER;
}

/**
 * Adds the UTXOs and stores how to spend them. The active federation's entry is written even if it received nothing.
 */
function enter(
  session: BridgeSession,
  transaction: ParentTransaction,
  derivation: Uint8Array,
  payees: readonly FlyoverPayee[],
): void {
  markUsed(session, transactionId(transaction), derivation);
  payees.forEach(({ spender, hash, outputScript }, i) => {
    const coins = coinsPaying(transaction, outputScript);
    if (i > 0 && coins.length === 0) return;
    session.storage.write(flyoverInformationCell(hash), encodeRlp([derivation, spender.hash]));
    (i === 0 ? activeCoins(session) : retiringCoins(session)).add(coins);
  });
}
