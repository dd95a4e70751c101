import { METHODS } from "@cambium/api";
import { COMPATIBILITIES } from "@cambium/api/config";
import { isJsonObject } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG, type RpcConfig } from "@cambium/rpc";
import * as z from "zod";
import { CliError } from "./errors.js";
import { parseJson, readText } from "./options.js";

const COUNT = z.int().nonnegative();
const POSITIVE = z.int().positive();

/** Unknown names are refused: a misspelt entry of `disabledMethods` would leave its method enabled. */
const METHOD = z.enum(METHODS.map(({ name }) => name));

function moduleSchema(module: string) {
  const own = METHODS.filter((method) => method.module === module).map(({ name }) => name.slice(module.length + 1));
  return z
    .strictObject({
      version: z.string(),
      enabled: z.boolean(),
      timeout: COUNT,
      enabledMethods: z.array(METHOD),
      disabledMethods: z.array(METHOD),
      methodTimeouts: z.partialRecord(z.enum(own), COUNT),
    })
    .partial();
}

const MODULES = Object.keys(DEFAULT_RPC_CONFIG.modules);

/** The members of {@link RpcConfig} that have no flag; all are optional. */
const SCHEMA = z
  .strictObject({
    modules: z.strictObject(Object.fromEntries(MODULES.map((name) => [name, moduleSchema(name)]))).partial(),
    connections: z.strictObject({ perClient: COUNT, maxUnreadBytes: COUNT, maxUnsentBytes: COUNT }).partial(),
    compatibility: z.enum(COMPATIBILITIES),
    aliases: z.boolean(),
    finality: z.boolean(),
    maxBatchRequests: POSITIVE,
    maxDepth: POSITIVE,
    timeout: COUNT,
    filters: z.strictObject({ maxFilters: COUNT, expiry: POSITIVE, maxBytes: POSITIVE }).partial(),
    maxResponseSize: COUNT,
    callGasCap: z.int(),
    gasEstimationCap: z.int(),
    allowCallStateOverride: z.boolean(),
    zeroSignatureIfRemasc: z.boolean(),
    skipRemasc: z.boolean(),
    logs: z.strictObject({ maxLogs: COUNT, unlimitedRange: COUNT, maxBlocks: COUNT }).partial(),
    trace: z.strictObject({ maxTraces: COUNT, maxInitialCells: COUNT, javascript: z.boolean() }).partial(),
    heavy: z
      .strictObject({
        callThreads: POSITIVE,
        traceThreads: POSITIVE,
        maxWaiting: COUNT,
        maxHeap: POSITIVE,
        nodeCacheCapacity: COUNT,
      })
      .partial(),
    readers: COUNT,
  })
  .partial();

/**
 * The default configuration overridden by a JSON file with members of {@link RpcConfig}; objects are merged member by
 * member. Throws {@link CliError} `FILE_NOT_FOUND` or `FILE_UNREADABLE`.
 */
export function readRpcConfig(path: string): RpcConfig {
  const result = SCHEMA.safeParse(parseJson(path, readText(path)));
  if (result.success) return merge(DEFAULT_RPC_CONFIG, result.data) as RpcConfig;
  const [{ path: member, message }] = result.error.issues as [z.core.$ZodIssue];
  const where = member.length > 0 ? `${member.join(".")}: ` : "";
  throw new CliError({ code: "FILE_UNREADABLE", path, reason: `${where}${message}` });
}

function merge(base: object, changes: object): object {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(changes)) {
    const known = merged[name];
    merged[name] = isJsonObject(known) && isJsonObject(value) ? merge(known, value) : value;
  }
  return merged;
}
