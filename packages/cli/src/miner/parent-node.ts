import type { BlockTemplate } from "@cambium/merged-mining";
import { CliError } from "../errors.js";

/** Milliseconds of a usual request, and of one that waits for a new template. */
const TIME_LIMIT = 30_000;
const LONG_POLL_LIMIT = 120_000;

/** A template, and what the next request waits for. */
export interface ParentTemplate extends BlockTemplate {
  longpollid?: string;
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

  /** With `longPollId` of an earlier template, waits until there is another one, for some time. */
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
      throw new CliError({ code: "INVALID_OPTION", option: "--payout", value: payee, expected });
    }
    return Buffer.from(scriptPubKey, "hex");
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
      const cause = (error as Error).cause;
      throw this.failure(method, cause instanceof Error ? cause.message : (error as Error).message);
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
