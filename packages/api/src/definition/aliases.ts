/**
 * The deployed ecosystem's names for methods (`spec/09`, table of names), served in addition to this
 * project's own if `ApiConfig.compatibility` is `deployed`. No other file knows them.
 */
const METHOD_PREFIXES: Readonly<Record<string, string>> = { rsk_: "chain_" };

const METHODS: Readonly<Record<string, string>> = {
  mnr_submitBitcoinBlock: "mnr_submitParentChainBlock",
  mnr_submitBitcoinBlockTransactions: "mnr_submitParentChainBlockTransactions",
  mnr_submitBitcoinBlockPartialMerkle: "mnr_submitParentChainBlockPartialMerkle",
};

/** Deployed name of a module by its name here. */
const MODULES: Readonly<Record<string, string>> = { chain: "rsk" };

/** Deployed names of a method; empty for most methods. */
export function methodAliases(name: string): readonly string[] {
  const aliases = Object.keys(METHODS).filter((alias) => METHODS[alias] === name);
  for (const [deployed, own] of Object.entries(METHOD_PREFIXES)) {
    if (name.startsWith(own)) aliases.push(deployed + name.slice(own.length));
  }
  return aliases;
}

/** Module versions by name; a module with a deployed name is listed under both names. */
export function withModuleAliases(versions: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(versions).map(([own, version]) => [MODULES[own] ?? own, version] as const);
  return { ...versions, ...Object.fromEntries(entries) };
}
