import { CambiumError } from "@cambium/primitives";
import { isNodeFailure } from "@cambium/state";
import { makeOutput } from "../bitcoin/transaction.js";
import { retiringCoins } from "../federation/coins.js";
import { activeSpender, retiringSpender } from "../federation/spending.js";
import { activationAge } from "../model/federation.js";
import { balanceOf } from "../model/utxo.js";
import { type BuildResult, type Built, buildRelease } from "../release-builder/release-builder.js";
import { federationWallet, type Wallet } from "../release-builder/wallet.js";
import { feePerKb } from "../releases/fees.js";
import { releaseVersion } from "../releases/release-version.js";
import { settle } from "../releases/settle.js";
import type { BridgeSession } from "../session.js";
import type { CoinList } from "../storage/coin-list.js";

// Migrates UTXOs from the retiring federation to the active one: spec/06b-3 §5.2.

const MAX_INPUTS = 150;
const MAX_OUTPUTS = 50n;
const OUTPUT_VALUE = 20n * 100_000_000n;

/** Performs one step of the migration; removes the retiring federation after the migration period. */
export function migrate(session: BridgeSession): void {
  const spender = retiringSpender(session);
  if (spender === undefined) return;
  const { rules } = session;
  const list = retiringCoins(session);
  const usable = rules.rskip294 ? list.coins.slice(0, maxInputs(session)) : list.coins;
  const wallet = federationWallet(session, spender, usable);
  const balance = balanceOf(wallet.coins);
  const { begin, end } = migrationAges(session);
  const age = session.context.block.number - session.activeFederation.creationBlock;
  const isEnough = rules.rskip455 || balance > feePerKb(session) / 2n;
  if (age > begin && age < end && isEnough) move(session, wallet, list, balance);
  if (age < end) return;
  const hasMoved = balance > 0n && lastMove(session, wallet, list, balance);
  if (!hasMoved || !rules.rskip455) session.storage.setOldFederation(undefined);
}

function maxInputs({ network, rules }: BridgeSession): number {
  return rules.rskip455 ? MAX_INPUTS : network.bridge.maxMigrationInputs;
}

/** Ages of the active federation, from its creation, between which UTXOs migrate. */
function migrationAges({ network, rules }: BridgeSession): { begin: number; end: number } {
  const { begin, end, endRskip357 } = network.bridge.migration;
  const age = activationAge(network, rules);
  return {
    begin: age + begin,
    end: age + (rules.rskip357 && !rules.rskip374 ? endRskip357 : end),
  };
}

/** A move after the migration period, which never fails the call. Returns whether it built a transaction. */
function lastMove(session: BridgeSession, wallet: Wallet, list: CoinList, balance: bigint): boolean {
  let built: Built | undefined;
  try {
    built = buildMigration(session, wallet, balance);
    if (built !== undefined) settleMove(session, list, built);
  } catch (error) {
    // Changes made before the error are kept, as in the deployed client.
    if (!(error instanceof CambiumError) || isNodeFailure(error)) throw error;
  }
  return built !== undefined;
}

function move(session: BridgeSession, wallet: Wallet, list: CoinList, balance: bigint): void {
  const built = buildMigration(session, wallet, balance);
  if (built !== undefined) settleMove(session, list, built);
}

function settleMove(session: BridgeSession, list: CoinList, built: Built): void {
  settle(session, list, built, session.context.transactionHash(), balanceOf(built.spent));
}

/** Builds a migration of the whole balance; undefined if that fails (RSKIP-455). */
function buildMigration(session: BridgeSession, wallet: Wallet, balance: bigint): Built | undefined {
  if (!session.rules.rskip455) return buildOneOutput(session, wallet, balance);
  const result = buildOutputs(session, wallet, migrationOutputs(balance));
  return result.code === "SUCCESS" ? result : undefined;
}

/** Tries the whole balance, then halves the amount repeatedly. Fails if the remainder is dust. */
function buildOneOutput(session: BridgeSession, wallet: Wallet, balance: bigint): Built {
  for (let value = balance; ; value /= 2n) {
    const result = buildOutputs(session, wallet, [value]);
    if (result.code === "SUCCESS") return result;
    if (result.code === "DUSTY") return session.fail("updateCollections", "the retiring federation cannot be emptied");
  }
}

function buildOutputs(session: BridgeSession, wallet: Wallet, values: readonly bigint[]): BuildResult {
  const { outputScript } = activeSpender(session);
  return buildRelease(wallet, {
    outputs: values.map((value) => makeOutput(value, outputScript)),
    changeScript: outputScript,
    feePerKb: feePerKb(session),
    recipientsPay: true,
    version: session.rules.rskip376 ? releaseVersion(session) : 1,
  });
}

/** Values of the outputs that migrate a sum, before the fee; the last one includes the remainder (RSKIP-455). */
function migrationOutputs(satoshi: bigint): bigint[] {
  const full = satoshi / OUTPUT_VALUE;
  const count = full < 2n ? 1n : full < MAX_OUTPUTS ? full : MAX_OUTPUTS;
  const value = full < MAX_OUTPUTS ? OUTPUT_VALUE : satoshi / MAX_OUTPUTS;
  const values = Array.from({ length: Number(count) }, () => value);
  values[values.length - 1] = satoshi - value * (count - 1n);
  return values;
}
