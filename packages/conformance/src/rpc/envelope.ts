import { type GenesisAccount, NETWORKS } from "@cambium/config";
import { fromHex } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG, type RpcConfig } from "@cambium/rpc";
import { failed } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { SLOW } from "./code.js";
import { send } from "./http.js";
import { inWorld, type World } from "./world.js";

/** An HTTP request and its response, from `envelope.json`. */
export interface EnvelopeCase {
  name: string;
  /** The body, sent as JSON or as text. */
  request?: unknown;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  http?: string;
  path?: string;
  config?: {
    max_batch_requests_size?: number;
    timeout?: number;
    maxResponseSize?: number;
    hosts?: string[];
    keys?: string[];
  };
  status: number;
  /** Null: the body is not compared. */
  response: unknown;
}

const JSON_HEADERS = { "content-type": "application/json" };

/** Sends each case's request to a separate node of the main network. */
export async function* runEnvelopes(name: string, cases: readonly EnvelopeCase[]): AsyncGenerator<CaseResult> {
  for (const one of cases) {
    const situation = { network: NETWORKS.main, accounts: slowAccounts(one), config: configOf(one) };
    const difference = await inWorld(situation, (world) => differenceOf(world, one));
    const title = `${name}/${one.name}`;
    yield difference === undefined ? { name: title, outcome: "passed" } : failed(title, difference);
  }
}

function configOf({ config = {} }: EnvelopeCase): Partial<RpcConfig> {
  const { http, maxBatchRequests, timeout, maxResponseSize } = DEFAULT_RPC_CONFIG;
  return {
    http: { ...http, port: 0, closeTimeout: 200, hosts: config.hosts ?? http.hosts },
    auth: { keys: config.keys ?? [] },
    maxBatchRequests: config.max_batch_requests_size ?? maxBatchRequests,
    timeout: config.timeout ?? timeout,
    maxResponseSize: config.maxResponseSize ?? maxResponseSize,
  };
}

/** Accounts whose code runs longer than the case's time limit, if it has one. */
function slowAccounts({ request, config }: EnvelopeCase): GenesisAccount[] {
  const to = (request as { params?: { to?: unknown }[] } | undefined)?.params?.[0]?.to;
  if (config?.timeout === undefined || typeof to !== "string") return [];
  return [{ address: fromHex(to), balance: 0n, code: SLOW }];
}

async function differenceOf({ server }: World, one: EnvelopeCase): Promise<string | undefined> {
  const { port } = await server.listen();
  const body = one.body ?? (one.request === undefined ? undefined : JSON.stringify(one.request));
  const headers = { ...(body === undefined ? {} : JSON_HEADERS), ...one.headers };
  const { status, json } = await send({ port, method: one.http, path: one.path, headers, body });
  if (status !== one.status) return `the status is ${status} instead of ${one.status}`;
  return one.response === null ? undefined : firstDifference(json, one.response, "response");
}
