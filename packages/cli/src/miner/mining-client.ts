import { type ParentBlock, type SubmissionMethod, submissionRequest } from "@cambium/miner/client";
import { fetchFailure } from "@cambium/primitives";
import { CliError } from "../errors.js";

/** Result of `mnr_getWork`. */
export interface WorkAnswer {
  blockHashForMergedMining: string;
  target: string;
  feesPaidToMiner: string;
  notify: boolean;
  parentBlockHash: string;
}

/** A node's answer to a solution: the import result of the block, or the error that rejects the submission. */
export type SubmissionAnswer =
  | { kind: "accepted"; importResult: string; blockHash: string; blockNumber: number }
  | { kind: "rejected"; code: number; message: string };

interface RpcError {
  code: number;
  message: string;
}

/** Error codes of nodes that do not know a parameter. */
const UNKNOWN_PARAMETER: readonly number[] = [-32602, -32601, -32603];

/** Client for the mining methods of a node's JSON-RPC API. Throws {@link CliError} `RPC`. */
export class MiningClient {
  private nextId = 1;
  private supportsWaiting = true;

  constructor(private readonly url: string) {}

  /**
   * Fetches work. If given the hash of known work, waits some time for other work, provided that the node supports it.
   */
  async getWork(knownHash?: string, signal?: AbortSignal): Promise<WorkAnswer> {
    const waits = knownHash !== undefined && this.supportsWaiting;
    const { result, error } = await this.call("mnr_getWork", waits ? [knownHash] : [], signal);
    if (waits && error !== undefined && UNKNOWN_PARAMETER.includes(error.code)) {
      this.supportsWaiting = false;
      return this.getWork(undefined, signal);
    }
    if (error !== undefined) throw this.failure(`mnr_getWork: ${error.message} (${error.code})`);
    return result as WorkAnswer;
  }

  /** Number of the best block. */
  async height(): Promise<number> {
    const { result, error } = await this.call("eth_blockNumber", []);
    if (error !== undefined) throw this.failure(`eth_blockNumber: ${error.message} (${error.code})`);
    return Number(result);
  }

  async submit(method: SubmissionMethod, block: ParentBlock): Promise<SubmissionAnswer> {
    const [name, params] = submissionRequest(method, block);
    const { result, error } = await this.call(name, params);
    if (error !== undefined) return { kind: "rejected", ...error };
    const { blockImportedResult, blockHash, blockIncludedHeight } = result as Record<string, string>;
    const importResult = Buffer.from(blockImportedResult!.slice(2), "hex").toString("ascii");
    return { kind: "accepted", importResult, blockHash: blockHash!, blockNumber: Number(blockIncludedHeight) };
  }

  private async call(
    method: string,
    params: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ result?: unknown; error?: RpcError }> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.nextId++, method, params });
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        ...(signal && { signal }),
      });
      const answer = (await response.json()) as { result?: unknown; error?: RpcError };
      const error = answer.error === undefined ? undefined : { code: answer.error.code, message: answer.error.message };
      return { result: answer.result, error };
    } catch (error) {
      throw this.failure(fetchFailure(error));
    }
  }

  private failure(reason: string): CliError {
    return new CliError({ code: "RPC", url: this.url, reason });
  }
}
