import type { ChainReader } from "@cambium/chain";
import { rulesAt } from "@cambium/config";
import {
  bigintToFixedBytes,
  bytesToBigint,
  CambiumError,
  EMPTY_KECCAK,
  EMPTY_TRIE_ROOT,
  toData,
  toQuantity,
} from "@cambium/primitives";
import { stateNotFound } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { ZERO_HASH } from "../objects/format.js";

/** A request for proofs from the state after a block. */
export interface ProofRequest {
  blockHash: Uint8Array;
  address: Uint8Array;
  keys: readonly bigint[];
}

/** Account proof object; this chain has one trie for accounts and storage (`spec/09 §11`). */
export interface AccountProof {
  address: string;
  accountProof: string[];
  balance: string;
  codeHash: string;
  nonce: string;
  storageHash: string;
  storageProof: { key: string; value: string; proof: string[] }[];
}

/**
 * Proves an account and some of its storage cells. Throws {@link RpcError} `STATE_NOT_FOUND` or `LIMIT_EXCEEDED`.
 */
export function proveAccount(chain: ChainReader, request: ProofRequest, limit: WorkLimit): AccountProof {
  try {
    return prove(chain, request, limit);
  } catch (error) {
    const code = error instanceof CambiumError ? error.code : undefined;
    if (code === "STATE_UNAVAILABLE") throw stateNotFound(TOO_OLD);
    throw error;
  }
}

const TOO_OLD =
  "The block is too old for a proof: this node stores the trie of a recent state only (an archive node stores all, see --state.archive)";

function prove(chain: ChainReader, { blockHash, address, keys }: ProofRequest, limit: WorkLimit): AccountProof {
  const state = chain.stateAfter(blockHash);
  if (state === undefined) throw stateNotFound(`State not found for block with hash ${toData(blockHash)}`);
  const rules = rulesAt(chain.network, chain.headerByHash(blockHash)!.number);
  const hasCode = state.getCodeSize(address) > 0;
  const codeHash = hasCode ? state.getCodeHash(address, rules) : EMPTY_KECCAK;
  return {
    address: toData(address),
    accountProof: state.accountProof(address).map(toData),
    balance: toQuantity(state.getBalance(address)),
    codeHash: state.exists(address) ? toData(codeHash) : ZERO_HASH,
    nonce: toQuantity(state.getNonce(address)),
    storageHash: toData(state.storageRoot(address) ?? EMPTY_TRIE_ROOT),
    storageProof: keys.map((key) => {
      limit.check();
      const slot = bigintToFixedBytes(key, 32);
      return {
        key: toQuantity(key),
        value: toQuantity(bytesToBigint(state.getStorageBytes(address, slot) ?? new Uint8Array(0))),
        proof: state.storageProof(address, slot).map(toData),
      };
    }),
  };
}
