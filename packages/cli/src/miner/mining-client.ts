import { type ParentBlock, type SubmissionMethod, submissionRequest } from "@cambium/miner";
import { CliError } from "../errors.js";

/** Result of `mnr_getWork`. */
export interface WorkAnswer {
  blockHashForMergedMining: string;
  target: string;
  feesPaidToMiner: string;
  notify: boolean;
  parentBlockHash: string;
}

/** What a node answers to a solution: the fate of the block, or why it was not looked at. */
export type SubmissionAnswer =
  | { kind: "taken"; importResult: string; blockHash: string; blockNumber: number }
  | { kind: "refused"; code: number; message: string };

interface RpcError {
  code: number;
  message: string;
}

/** What mining needs of a node's JSON-RPC. Throws {@link CliError} `RPC`. */
export class MiningClient {
  private nextId = 1;

  constructor(private readonly url: string) {}

  async getWork(): Promise<WorkAnswer> {
    const { result, error } = await this.call("mnr_getWork", []);
    if (error !== undefined) throw this.failure(`mnr_getWork: ${error.message} (${error.code})`);
    return result as WorkAnswer;
  }

  async submit(method: SubmissionMethod, block: ParentBlock): Promise<SubmissionAnswer> {
    const [name, params] = submissionRequest(method, block);
    const { result, error } = await this.call(name, params);
    if (error !== undefined) return { kind: "refused", ...error };
    const { blockImportedResult, blockHash, blockIncludedHeight } = result as Record<string, string>;
    const importResult = Buffer.from(blockImportedResult!.slice(2), "hex").toString("ascii");
    return { kind: "taken", importResult, blockHash: blockHash!, blockNumber: Number(blockIncludedHeight) };
  }

  private async call(method: string, params: readonly string[]): Promise<{ result?: unknown; error?: RpcError }> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.nextId++, method, params });
    try {
      const response = await fetch(this.url, { method: "POST", headers: { "content-type": "application/json" }, body });
      const answer = (await response.json()) as { result?: unknown; error?: RpcError };
      const error = answer.error === undefined ? undefined : { code: answer.error.code, message: answer.error.message };
      return { result: answer.result, error };
    } catch (error) {
      const cause = (error as Error).cause;
      throw this.failure(cause instanceof Error ? cause.message : (error as Error).message);
    }
  }

  private failure(reason: string): CliError {
    return new CliError({ code: "RPC", url: this.url, reason });
  }
}
