import type { DailyUsage, KeyChanges, KeyStore, ManagedKey } from "@cambium/rpc/keys";
import type { Command } from "commander";
import { CliError, invalid, unmet } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, list, parsed, text, type Values } from "../flags/flag.js";
import { CONFIG, JSON_OUTPUT } from "../options.js";
import { counted, print, printJson } from "../output.js";

const MAX_LIMIT = 1_000_000_000;
const MAX_DAYS = 40;

const STORE_FLAGS = {
  "rpc.redis": text("url", "the Redis server of the nodes, as in their --rpc.redis", { isRequired: true }),
  config: CONFIG,
  json: JSON_OUTPUT,
};

const LIMIT_FLAGS = {
  ...STORE_FLAGS,
  requests: integer("n", "requests in a second; 0 for the limit of the nodes", { max: MAX_LIMIT }),
  units: integer(
    "n",
    "instead, cost units in a second: 1 for a read, 5 for a call or transaction, 10 for logs, 50 for a trace",
    { max: MAX_LIMIT },
  ),
  methods: list("names", "methods and modules that it may use; all for those that the nodes serve"),
  expires: parsed("date", "when it ends, as 2027-01-31 or 2027-01-31T12:00:00Z; never for no end", parseExpiry),
};

const USAGE_FLAGS = {
  ...STORE_FLAGS,
  days: integer("n", "days until today, in UTC; at most 40", { default: "7", max: MAX_DAYS }),
};

type StoreFlags = Values<typeof STORE_FLAGS>;
type LimitFlags = Values<typeof LIMIT_FLAGS>;

/** `node-cli keys`: API keys that all nodes with `--rpc.managed-keys` and the same Redis server accept. */
export function keysCommand(keys: Command): void {
  const command = (usage: string, description: string) => keys.command(usage).description(description);
  withFlags(command("add <name>", "create a key, and show its secret this once"), LIMIT_FLAGS, add);
  withFlags(command("list", "show all keys"), STORE_FLAGS, listKeys);
  withFlags(command("limit <name>", "change what a key may do; what is not given stays as it is"), LIMIT_FLAGS, limit);
  const usageText = "show what all keys, or one, have used on each day, on all nodes";
  withFlags(command("usage [name]", usageText), USAGE_FLAGS, usage);
  withFlags(command("revoke <name>", "refuse a key from now on"), STORE_FLAGS, revoke);
}

async function add(options: LimitFlags, name: string): Promise<void> {
  const changes = await changesOf(options);
  const { isKeyName, newSecret, secretDigest } = await import("@cambium/rpc/keys");
  if (!isKeyName(name)) {
    const expected = "up to 64 letters, digits, - and _, except other";
    throw invalid("the name", name, expected);
  }
  const secret = newSecret();
  const key = { name, digest: secretDigest(secret), created: Math.floor(Date.now() / 1_000), ...changes };
  await withKeys(options, (store) => store.add(key));
  if (options.json) printJson({ ...described(key), secret });
  else
    print(
      `${secret}\nThis is the secret of the key ${name}, the last part of the path: http://HOST:PORT/SECRET. It is not shown again.`,
    );
}

async function listKeys(options: StoreFlags): Promise<void> {
  const keys = await withKeys(options, (store) => store.list());
  if (options.json) printJson(keys.map(described));
  else for (const key of keys) print(lineOf(key));
}

async function limit(options: LimitFlags, name: string): Promise<void> {
  const changes = await changesOf(options);
  if (Object.keys(changes).length === 0) {
    const requires = "one of --requests, --units, --methods and --expires";
    throw unmet("keys limit", requires);
  }
  const key = await withKeys(options, (store) => store.update(name, changes));
  if (options.json) printJson(described(key));
  else print(lineOf(key));
}

async function revoke(options: StoreFlags, name: string): Promise<void> {
  await withKeys(options, (store) => store.revoke(name));
  if (options.json) printJson({ name });
  else print(`The key ${name} is revoked; nodes refuse it within a second.`);
}

async function usage(options: Values<typeof USAGE_FLAGS>, name?: string): Promise<void> {
  const found = await withKeys(options, (store) => store.usage(options.days));
  const shown = found.filter(({ key }) => name === undefined || key === name);
  if (options.json) printJson(shown);
  else for (const row of shown) print(usageLine(row));
}

/** Runs an action with the keys of a Redis server. Rejects with {@link CliError} `KEYS`. */
async function withKeys<T>({ "rpc.redis": url }: StoreFlags, action: (store: KeyStore) => Promise<T>): Promise<T> {
  const { KeyStore, RpcServerError } = await import("@cambium/rpc/keys");
  const failures: Error[] = [];
  const store = await KeyStore.open(redisUrl(url), (error) => failures.push(error));
  try {
    const [failure] = failures;
    if (failure !== undefined) throw failure;
    return await action(store);
  } catch (error) {
    const isRefused = error instanceof RpcServerError && error.details.code === "KEY_REFUSED";
    const reason = isRefused ? (error.details as { reason: string }).reason : unreachable(url, error as Error);
    throw new CliError({ code: "KEYS", reason }, { cause: error });
  } finally {
    store.close();
  }
}

function unreachable(url: string, error: Error): string {
  return `cannot use the Redis server ${new URL(url).host}: ${error.message}; check --rpc.redis`;
}

function redisUrl(url: string): string {
  if (URL.canParse(url) && ["redis:", "rediss:"].includes(new URL(url).protocol)) return url;
  const expected = "redis://host:port or rediss://host:port";
  throw invalid("--rpc.redis", url, expected);
}

/** Throws {@link CliError} `INVALID_OPTION`. */
async function changesOf({ requests, units, methods, expires }: LimitFlags): Promise<KeyChanges> {
  if (requests !== undefined && units !== undefined) {
    throw invalid("--units", String(units), "a limit of requests or of cost units, not both");
  }
  return {
    ...(requests !== undefined && { limit: keyLimit("requests", requests) }),
    ...(units !== undefined && { limit: keyLimit("units", units) }),
    ...(methods !== undefined && { methods: await methodNames(methods) }),
    ...(expires !== undefined && { expires: expires === "never" ? undefined : expires }),
  };
}

function keyLimit(of: "requests" | "units", amount: number): KeyChanges["limit"] {
  return amount === 0 ? undefined : { amount, of };
}

/** Unknown names are refused: a misspelt one would never be available. */
async function methodNames(names: readonly string[]): Promise<readonly string[] | undefined> {
  if (names.join() === "all") return undefined;
  const { DEFAULT_RPC_CONFIG } = await import("@cambium/rpc");
  const { METHODS } = await import("@cambium/api");
  const known = new Set([...Object.keys(DEFAULT_RPC_CONFIG.modules), ...METHODS.map(({ name }) => name)]);
  const unknown = names.length === 0 ? "" : names.find((name) => !known.has(name));
  if (unknown === undefined) return names;
  throw invalid("--methods", unknown, "all, or names of methods and modules, as in eth,net,trace_block");
}

function parseExpiry(text: string, option: string): number | "never" {
  if (text === "never") return text;
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) return Math.floor(time / 1_000);
  throw invalid(option, text, "never, or a date that is not past, as 2027-01-31 or 2027-01-31T12:00:00Z");
}

/** A key as JSON, without its digest. */
function described({ name, limit, methods, expires, created }: ManagedKey) {
  return { name, limit, methods, expires: expires && dateText(expires), created: dateText(created) };
}

function lineOf({ name, limit, methods, expires }: ManagedKey): string {
  const parts = [
    limit === undefined ? "the limit of the nodes" : `${counted(limit.amount, limit.of.slice(0, -1))}/s`,
    methods === undefined ? "all methods" : methods.join(","),
    expires === undefined ? "no end" : `until ${dateText(expires)}`,
  ];
  return `${name}: ${parts.join("; ")}`;
}

function usageLine({ day, key, requests, units, bytes, errors, refused }: DailyUsage): string {
  const counts = [
    counted(requests, "request"),
    counted(units, "unit"),
    counted(bytes, "byte"),
    counted(errors, "error"),
  ];
  return `${day} ${key}: ${counts.join(", ")}, ${refused} refused`;
}

function dateText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
}
