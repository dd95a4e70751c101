import { developmentKeys } from "@cambium/accounts";
import type { NetworkConfig } from "@cambium/config";
import { equalBytes, toChecksumAddress, toData } from "@cambium/primitives";

const COIN = 10n ** 18n;

/** The accounts of a network's genesis whose keys everybody knows, for the start of a local node; may be none. */
export function developmentAccounts({ genesis }: NetworkConfig): string[] {
  const lines = developmentKeys().flatMap(({ address, privateKey }, i) => {
    const account = genesis.accounts.find((one) => equalBytes(one.address, address));
    if (account === undefined || account.balance === 0n) return [];
    const coins = account.balance / COIN;
    return [`(${i}) ${toChecksumAddress(address)}  ${toData(privateKey)}  ${coins.toLocaleString("en")} coins`];
  });
  return lines.length === 0 ? [] : ["Accounts with their private keys, which everybody knows:", ...lines, ""];
}
