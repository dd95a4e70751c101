import type { ChainReader } from "@cambium/chain";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { Api, type ApiParts } from "../../src/api.js";
import { type ApiConfig, DEFAULT_API_CONFIG } from "../../src/config.js";
import { errorsOf } from "../../src/discovery/documented-errors.js";
import { RPC_CODES } from "../../src/errors.js";
import { FilterRegistry } from "../../src/filters/filter-registry.js";
import { Deadline } from "../../src/limits/deadline.js";
import { METHODS } from "../../src/methods/index.js";
import { ChainFeed } from "../../src/sources/chain-feed.js";
import { rpcErrorOf } from "../../src/thrown-errors.js";

export const CLIENT_VERSION = "Cambium/0.1.0/linux/node20/RELEASE-1a2b3c4";

/** All methods over a chain in memory. */
export interface Service extends Pick<ApiParts, "chain"> {
  api: Api;
  config: ApiConfig;
}

/** Parts over a chain in memory, with the default configuration, changed as given. */
export function partsOver(
  chain: { reader(): ChainReader },
  changes: Partial<ApiConfig> = {},
  parts: Partial<ApiParts> = {},
): ApiParts {
  const config = { ...DEFAULT_API_CONFIG, ...changes };
  const own = { chain: chain.reader(), config, clientVersion: CLIENT_VERSION };
  const feed = new ChainFeed(own.chain);
  const filters = new FilterRegistry({ ...own, feed, logger: SILENT });
  return { ...own, feed, pool: new FakePool().api(), filters, syncStatus: () => false, ...parts };
}

export function apiOver(
  chain: { reader(): ChainReader },
  changes: Partial<ApiConfig> = {},
  parts: Partial<ApiParts> = {},
): Service {
  return serviceOf(partsOver(chain, changes, parts));
}

export function serviceOf(parts: ApiParts): Service {
  return { ...parts, api: new Api(parts, METHODS) };
}

/** Any JSON value. */
export type Json = ReturnType<typeof JSON.parse>;

/** Resolves to the result of a method as JSON; rejects with the error object, which the method must declare. */
export async function ask({ api, chain, config }: Service, name: string, ...params: unknown[]): Promise<Json> {
  const method = api.methods.get(name);
  if (method === undefined) throw Object.assign(new Error(`no method ${name}`), { code: RPC_CODES.METHOD_NOT_FOUND });
  try {
    const deadline = Deadline.after(method.isUntimed ? 0 : config.timeout);
    const result = await api.call(method, params, deadline);
    deadline.check();
    return JSON.parse(JSON.stringify(result ?? null));
  } catch (error) {
    const answer = rpcErrorOf(error, { config }, () => undefined).toObject();
    const declared = errorsOf(method, { chain, config }).map(({ code }) => code);
    if (!declared.includes(answer.code)) throw new Error(`${name} does not declare ${JSON.stringify(answer)}`);
    throw answer;
  }
}
