import { developmentKeys } from "@cambium/accounts";
import type { NetworkConfig } from "@cambium/config";
import { equalBytes, toChecksumAddress, toData } from "@cambium/primitives";
import { grouped } from "./output.js";

const COIN = 10n ** 18n;

/**
 * Returns lines that list the well-known development accounts which the network's genesis funds; none if there are
 * none.
 */
export function developmentAccounts({ genesis }: NetworkConfig): string[] {
  const lines = developmentKeys().flatMap(({ address, privateKey }, i) => {
    const account = genesis.accounts.find((one) => equalBytes(one.address, address));
    if (account === undefined || account.balance === 0n) return [];
    const coins = account.balance / COIN;
    return [`(${i}) ${toChecksumAddress(address)}  ${toData(privateKey)}  ${grouped(coins)} coins`];
  });
  return lines.length === 0
    ? []
    : ["Development accounts and their private keys (publicly known, never send real funds to them):", ...lines];
}
