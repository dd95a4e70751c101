/**
 * The deployed ecosystem's spellings and the product's (`spec/09`, table of names). Served besides the product's own
 * when `RpcConfig.deployedNames` is on; this file is the only place that knows them.
 */
const METHOD_PREFIXES: Readonly<Record<string, string>> = { rsk_: "chain_" };

const METHODS: Readonly<Record<string, string>> = {
  mnr_submitBitcoinBlock: "mnr_submitParentChainBlock",
  mnr_submitBitcoinBlockTransactions: "mnr_submitParentChainBlockTransactions",
  mnr_submitBitcoinBlockPartialMerkle: "mnr_submitParentChainBlockPartialMerkle",
};

/** Deployed name of a module by its own name. */
const MODULES: Readonly<Record<string, string>> = { chain: "rsk" };

/** Deployed name of a block member by its own name. */
const BLOCK_MEMBERS: Readonly<Record<string, string>> = {
  parentChainMergedMiningHeader: "bitcoinMergedMiningHeader",
  parentChainMergedMiningCoinbaseTransaction: "bitcoinMergedMiningCoinbaseTransaction",
  parentChainMergedMiningMerkleProof: "bitcoinMergedMiningMerkleProof",
  pteEdges: "rskPteEdges",
};

/** Deployed names of a method; empty for most. */
export function methodAliases(name: string): readonly string[] {
  const aliases = Object.keys(METHODS).filter((alias) => METHODS[alias] === name);
  for (const [deployed, own] of Object.entries(METHOD_PREFIXES)) {
    if (name.startsWith(own)) aliases.push(deployed + name.slice(own.length));
  }
  return aliases;
}

/** Versions of modules with those of modules that have a deployed name under both names. */
export function withModuleAliases(versions: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(versions).map(([own, version]) => [MODULES[own] ?? own, version] as const);
  return { ...versions, ...Object.fromEntries(entries) };
}

/** The block object with its members under both names. */
export function withBlockAliases<T extends object>(block: T): T {
  const aliases = Object.entries(block).flatMap(([own, value]) => {
    return Object.hasOwn(BLOCK_MEMBERS, own) ? [[BLOCK_MEMBERS[own]!, value] as const] : [];
  });
  return { ...block, ...Object.fromEntries(aliases) };
}
