import type { BlockTemplate } from "@cambium/merged-mining";
import { fetchFailure } from "@cambium/primitives";
import { CliError, invalid } from "../errors.js";

/**
 * Time limits in milliseconds: of a usual request, of one that waits for a new template, and of one that reads all
 * unspent outputs.
 */
const TIME_LIMIT = 30_000;
const LONG_POLL_LIMIT = 120_000;
const SCAN_LIMIT = 3_600_000;
/** Error code of a node that does not have a block. */
const NOT_FOUND = "(-5)";

/** A template, and the id with which the next request waits. */
export interface ParentTemplate extends BlockTemplate {
  longpollid?: string;
}

/** An unspent output on the best chain; id in display order and script are hex, the value is in satoshi. */
export interface UnspentOutput {
  txid: string;
  index: number;
  value: bigint;
  script: string;
  height: number;
}

/** Unspent outputs of some scripts on a parent-chain node, and the standing of a block in its chains. */
export interface ParentScan {
  height: number;
  standing: "best chain" | "side chain" | "unknown";
  unspent: UnspentOutput[];
}

interface TransactionOutputScan {
  height: number;
  unspents: { txid: string; vout: number; amount: number; scriptPubKey: string; height: number }[];
}

/** A value of `--parent`. Throws {@link CliError} `INVALID_OPTION`. */
export function parentAddress(text: string): URL {
  if (/^https?:/i.test(text) && URL.canParse(text)) return new URL(text);
  // The URL may contain a password, which must not appear in messages.
  throw invalid("--parent", "…", "http://user:password@host:port");
}

/** Client for a parent-chain node such as Bitcoin Core. Throws {@link CliError} `RPC`. */
export class ParentNode {
  private readonly url: string;
  private readonly authorization: string | undefined;
  private nextId = 1;

  /** `address` may contain a user name and a password. */
  constructor(address: URL) {
    const { username, password } = address;
    const url = new URL(address);
    url.username = "";
    url.password = "";
    this.url = url.href;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.authorization = username === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  }

  /** Fetches a template. If given the `longPollId` of an earlier one, waits some time for another one. */
  template(longPollId?: string, signal?: AbortSignal): Promise<ParentTemplate> {
    const request = { rules: ["segwit"], ...(longPollId === undefined ? {} : { longpollid: longPollId }) };
    const limit = longPollId === undefined ? TIME_LIMIT : LONG_POLL_LIMIT;
    return this.call("getblocktemplate", [request], limit, signal);
  }

  /** Undefined if the block was accepted; otherwise the node's reason (BIP-22). */
  async submit(block: Uint8Array): Promise<string | undefined> {
    return (await this.call<string | null>("submitblock", [Buffer.from(block).toString("hex")])) ?? undefined;
  }

  /** Script that pays to an address; without one, to a new address of the node's wallet. */
  async payoutScript(address?: string): Promise<Uint8Array> {
    const payee = address ?? (await this.call<string>("getnewaddress", []));
    const { scriptPubKey } = await this.call<{ scriptPubKey?: string }>("validateaddress", [payee]);
    if (scriptPubKey === undefined) {
      const expected = "an address of the parent chain";
      throw invalid("--payout", payee, expected);
    }
    return Buffer.from(scriptPubKey, "hex");
  }

  /** Hash of the best block, hex in display order. */
  bestHash(): Promise<string> {
    return this.call("getbestblockhash", []);
  }

  /**
   * Reads the whole set of unspent outputs, which takes minutes on a public network. `blockHash` is hex in display
   * order.
   */
  async scan(scripts: readonly string[], blockHash: string): Promise<ParentScan> {
    const descriptors = scripts.map((script) => `raw(${script})`);
    const found = await this.call<TransactionOutputScan>("scantxoutset", ["start", descriptors], SCAN_LIMIT);
    return {
      height: found.height,
      standing: await this.standing(blockHash),
      unspent: found.unspents.map(({ txid, vout, amount, scriptPubKey, height }) => ({
        txid,
        index: vout,
        // An exact number of satoshi is shown with eight decimals.
        value: BigInt(Math.round(amount * 1e8)),
        script: scriptPubKey,
        height,
      })),
    };
  }

  private async standing(blockHash: string): Promise<ParentScan["standing"]> {
    try {
      const { confirmations } = await this.call<{ confirmations: number }>("getblockheader", [blockHash]);
      return confirmations > 0 ? "best chain" : "side chain";
    } catch (error) {
      if (error instanceof CliError && error.details.code === "RPC" && error.details.reason.endsWith(NOT_FOUND)) {
        return "unknown";
      }
      throw error;
    }
  }

  private async call<T>(method: string, params: unknown[], limit = TIME_LIMIT, signal?: AbortSignal): Promise<T> {
    const ended = AbortSignal.any([AbortSignal.timeout(limit), ...(signal === undefined ? [] : [signal])]);
    let status: number;
    let text: string;
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(this.authorization === undefined ? {} : { authorization: this.authorization }),
        },
        body: JSON.stringify({ jsonrpc: "1.0", id: this.nextId++, method, params }),
        signal: ended,
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      throw this.failure(method, fetchFailure(error));
    }
    if (status === 401) throw this.failure(method, "the node refuses the user name or password in --parent");
    const answer = parsed(text);
    if (answer === undefined) throw this.failure(method, `HTTP status ${status}`);
    if (answer.error != null) throw this.failure(method, `${answer.error.message} (${answer.error.code})`);
    return answer.result as T;
  }

  private failure(method: string, reason: string): CliError {
    return new CliError({ code: "RPC", url: this.url, reason: `${method}: ${reason}` });
  }
}

function parsed(text: string): { result?: unknown; error?: { code: number; message: string } | null } | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
