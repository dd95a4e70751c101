import { buildGenesis } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import {
  bytesToBigint,
  decodeRlpList,
  equalBytes,
  keccak256,
  RlpError,
  type RlpItem,
  toData,
} from "@cambium/primitives";

/** Places of header fields (`spec/01 §2.1`), and of `v` in a transaction (`spec/01 §3.1`). */
const PARENT_HASH = 0;
const NUMBER = 8;
const V = 6;

/**
 * Network that a block belongs to: its name, undefined if it is none of {@link NETWORKS}; and the evidence in the
 * block.
 */
export interface OtherNetwork {
  name: string | undefined;
  evidence: string;
}

/**
 * Returns the network of a block that a chain of `network` did not accept; undefined without evidence for another
 * network. Block 0 and block 1 show the genesis block, later ones the chain id for which their transactions are signed.
 * `rlp` may be any bytes.
 */
export function otherNetworkOf(rlp: Uint8Array, network: NetworkConfig): OtherNetwork | undefined {
  if (network.fork !== undefined) return undefined;
  try {
    const [header, transactions] = decodeRlpList(rlp);
    const height = bytesToBigint(header!.items[NUMBER]!.bytes);
    if (height === 0n) return otherGenesis(keccak256(header!.raw), network);
    if (height === 1n) return otherGenesis(header!.items[PARENT_HASH]!.bytes, network);
    return otherChainId(transactions!.items, network);
  } catch (error) {
    if (error instanceof RlpError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function otherGenesis(hash: Uint8Array, network: NetworkConfig): OtherNetwork | undefined {
  if (equalBytes(hash, genesisHash(network))) return undefined;
  const known = Object.values(NETWORKS).find((one) => equalBytes(genesisHash(one), hash));
  return { name: known?.name, evidence: `its chain begins with the genesis block ${toData(hash)}` };
}

function genesisHash(network: NetworkConfig): Uint8Array {
  return buildGenesis(network, { put: () => undefined }).block.hash;
}

/** Signatures for any chain, and unsigned transactions, are no evidence. */
function otherChainId(transactions: readonly RlpItem[], network: NetworkConfig): OtherNetwork | undefined {
  const ids = new Set(transactions.map(chainIdOf).filter((id) => id !== undefined));
  const [id] = ids;
  if (id === undefined || ids.size > 1 || id === network.chainId) return undefined;
  const known = Object.values(NETWORKS).find(({ chainId }) => chainId === id);
  return { name: known?.name, evidence: `its transactions are signed for chain id ${id}` };
}

/** Reads the chain id from `v` of EIP-155: 35 or 36 plus twice the chain id. */
function chainIdOf(transaction: RlpItem): number | undefined {
  const v = transaction.isList ? transaction.items[V]?.payload : undefined;
  return v?.length === 1 && v[0]! >= 35 ? (v[0]! - 35) >> 1 : undefined;
}
