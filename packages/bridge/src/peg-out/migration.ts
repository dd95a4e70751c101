import { CambiumError } from "@cambium/primitives";
import { isNodeFailure } from "@cambium/state";
import { makeOutput } from "../bitcoin/transaction.js";
import { activationAge } from "../federation/federation.js";
import { activeSpender, retiringSpender } from "../federation/spending.js";
import { pegConstants } from "../peg-constants.js";
import { type Built, buildRelease } from "../release-builder/release-builder.js";
import { federationWallet, type Wallet } from "../release-builder/wallet.js";
import type { BridgeSession } from "../session.js";
import { type CoinList, retiringCoins } from "../storage/coins.js";
import { balanceOf } from "../storage/utxo.js";
import { feePerKb } from "./fees.js";
import { releaseVersion } from "./release-version.js";
import { settle } from "./settle.js";

// Migrates UTXOs from the retiring federation to the active one: spec/06b-3 §5.2.

/** Performs one step of the migration; removes the retiring federation after the migration period. */
export function migrate(session: BridgeSession): void {
  const spender = retiringSpender(session);
  if (spender === undefined) return;
  const list = retiringCoins(session);
  const { maxMigrationInputs } = pegConstants(session.network);
  const usable = session.rules.rskip294 ? list.coins.slice(0, maxMigrationInputs) : list.coins;
  const wallet = federationWallet(session, spender, usable);
  const balance = balanceOf(wallet.coins);
  const { begin, end } = migrationAges(session);
  const age = session.context.block.number - session.activeFederation.creationBlock;
  if (age > begin && age < end && balance > feePerKb(session) / 2n) move(session, wallet, list, balance);
  if (age < end) return;
  if (balance > 0n) moveOrLeave(session, wallet, list, balance);
  session.storage.setOldFederation(undefined);
}

/** Ages of the active federation, from its creation, between which UTXOs migrate. */
function migrationAges({ network, rules }: BridgeSession): { begin: number; end: number } {
  const { migrationBegin, migrationEnd, migrationEndRskip357 } = pegConstants(network);
  const age = activationAge(network, rules);
  return {
    begin: age + migrationBegin,
    end: age + (rules.rskip357 && !rules.rskip374 ? migrationEndRskip357 : migrationEnd),
  };
}

/** The last attempt: the federation is removed even if it fails. */
function moveOrLeave(session: BridgeSession, wallet: Wallet, list: CoinList, balance: bigint): void {
  try {
    move(session, wallet, list, balance);
  } catch (error) {
    // Changes made before the error are kept, as in the deployed client.
    if (!(error instanceof CambiumError) || isNodeFailure(error)) throw error;
  }
}

function move(session: BridgeSession, wallet: Wallet, list: CoinList, balance: bigint): void {
  const built = buildMigration(session, wallet, balance);
  settle(session, list, built, session.context.transactionHash(), balanceOf(built.spent));
}

/** Tries the whole balance, then halves the amount repeatedly. Fails if the remainder is dust. */
function buildMigration(session: BridgeSession, wallet: Wallet, balance: bigint): Built {
  const { outputScript } = activeSpender(session);
  const version = session.rules.rskip376 ? releaseVersion(session) : 1;
  for (let value = balance; ; value /= 2n) {
    const outputs = [makeOutput(value, outputScript)];
    const request = { outputs, changeScript: outputScript, feePerKb: feePerKb(session), recipientsPay: true, version };
    const result = buildRelease(wallet, request);
    if (result.code === "SUCCESS") return result;
    if (result.code === "DUSTY") return session.fail("updateCollections", "the retiring federation cannot be emptied");
  }
}
