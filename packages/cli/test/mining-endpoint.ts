import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { Chain } from "@cambium/chain";
import { MinerError, type MinerServer } from "@cambium/miner";
import { fromHex, toData, utf8 } from "@cambium/primitives";

const IMPORT_RESULTS: Record<string, string> = {
  "imported-best": "IMPORTED_BEST",
  "imported-side": "IMPORTED_NOT_BEST",
  "already-known": "EXIST",
};

/** Serves the mining methods of JSON-RPC from a miner server. */
export function serveMining(miner: MinerServer, chain: Chain): Server {
  const hashes = (text: string) => text.split(" ").map(fromHex);
  const methods: Record<string, (params: string[]) => unknown> = {
    mnr_getWork: () => {
      const { hashForMergedMining, target, feesPaidToMiner, notify, parentBlockHash } = miner.getWork();
      return {
        blockHashForMergedMining: toData(hashForMergedMining),
        target: `0x${target.toString(16).padStart(64, "0")}`,
        feesPaidToMiner: feesPaidToMiner.toString(),
        notify,
        parentBlockHash: toData(parentBlockHash),
      };
    },
    eth_blockNumber: () => `0x${chain.best().header.number.toString(16)}`,
    mnr_submitParentChainBlock: ([block]) => miner.submitBlock(fromHex(block!)),
    mnr_submitParentChainBlockTransactions: ([, header, coinbase, ids]) =>
      miner.submitTransactions({
        header: fromHex(header!),
        coinbase: fromHex(coinbase!),
        transactionIds: hashes(ids!),
      }),
    mnr_submitParentChainBlockPartialMerkle: ([, header, coinbase, branch, count]) =>
      miner.submitPartialMerkle({
        header: fromHex(header!),
        coinbase: fromHex(coinbase!),
        merkleHashes: hashes(branch!),
        transactionCount: Number.parseInt(count!, 16),
      }),
  };
  return createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(await answer(() => methods[method]!(params))) }));
  });
}

async function answer(action: () => unknown): Promise<object> {
  try {
    const result = (await action()) as { result?: { kind: string }; hash: Uint8Array; number: number };
    if (result.result === undefined) return { result };
    const blockImportedResult = toData(utf8(IMPORT_RESULTS[result.result.kind]!));
    const blockIncludedHeight = `0x${result.number.toString(16)}`;
    return { result: { blockImportedResult, blockHash: toData(result.hash), blockIncludedHeight } };
  } catch (error) {
    assert(error instanceof MinerError);
    return { error: { code: -33000, message: error.message } };
  }
}
