import { BlockError, proofOfWork } from "@cambium/chain";
import { type NetworkConfig, rulesAt } from "@cambium/config";
import { Block } from "@cambium/types";
import { MinerError } from "../errors.js";
import type { BlockTemplate } from "../interface.js";
import type { Solution } from "./submission.js";

/**
 * Completes a template with its solution. Only the proof of work is checked (`spec/03 §7.4`, steps 3 and 4).
 * Throws {@link MinerError} `INVALID_PROOF`.
 */
export function solvedBlock(template: BlockTemplate, solution: Solution, network: NetworkConfig): Block {
  const rules = rulesAt(network, template.header.number);
  const header = template.header.with({
    parentChainHeader: solution.header,
    merkleProof: solution.proof(rules.rskip92 ? "compact" : "partial"),
    parentChainCoinbase: solution.compressedCoinbase,
  });
  try {
    proofOfWork(header, network);
  } catch (error) {
    if (!(error instanceof BlockError) || error.details.code !== "PROOF_OF_WORK") throw error;
    const { hashForMergedMining } = template;
    const { number, hash: blockHash } = header;
    const { reason } = error.details;
    throw new MinerError({ code: "INVALID_PROOF", blockHash, hashForMergedMining, number, reason }, { cause: error });
  }
  return new Block(header, template.transactions, template.uncles);
}
