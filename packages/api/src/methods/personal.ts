import { AccountsError, DEFAULT_UNLOCK_TIME, type KeyStore } from "@cambium/accounts";
import { fromHex, toData } from "@cambium/primitives";
import { UNSIGNED_TRANSACTION } from "../calls/transaction-request.js";
import { EXECUTION_ERRORS, SENDING_ERRORS } from "../definition/error-groups.js";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../definition/method.js";
import { echo, invalidParams, RpcError, serverBusy, timeLimitExceeded, walletDisabled } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, DATA } from "../params/value-types.js";
import { arrayOf, BYTES, BYTES_32, TRUTH } from "../schemas/values.js";
import { sendTransaction, signRequest } from "../sending/transaction-sending.js";
import { messageHash, signature } from "../signing/messages.js";
import { withGas } from "./simulation.js";

function text(nullMessage: string): ParamType<string> {
  return {
    name: "TEXT",
    schema: { type: "string" },
    parse(value) {
      if (typeof value === "string") return value;
      throw invalidParams(value === null || value === undefined ? nullMessage : "Invalid input");
    },
  };
}

const SEED = text("Seed is null");
const PASSPHRASE = text("Passphrase is null");

const KEY: ParamType<Uint8Array> = {
  name: "KEY",
  schema: { type: "string", pattern: "^(0x)?[0-9a-fA-F]{1,64}$" },
  parse(value) {
    if (value === null || value === undefined) throw invalidParams("Key cannot be null.");
    const digits = typeof value === "string" ? /^(?:0x)?([0-9a-fA-F]+)$/.exec(value)?.[1] : undefined;
    if (digits === undefined) throw invalidParams(`Invalid param ${echo(value)}: value must be a valid hex.`);
    return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
  },
};

/** Milliseconds; an empty string selects the default duration. */
const DURATION: ParamType<number> = {
  name: "DURATION",
  schema: { type: "string", pattern: "^(0x[0-9a-fA-F]{1,16})?$" },
  parse(value) {
    if (value === "") return DEFAULT_UNLOCK_TIME;
    const valid = typeof value === "string" && /^0x[0-9a-fA-F]{1,16}$/.test(value) && BigInt(value) < 1n << 63n;
    if (!valid) throw invalidParams("Invalid duration param: value must be a valid hex number.");
    return Number(BigInt(value));
  },
};

/** Methods for accounts whose keys the node holds (`spec/09 §13.3`). */
export const PERSONAL_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "personal_newAccountWithSeed",
    summary: "Adds the account derived from a seed; kept in memory only and always unlocked",
    params: [required("seed", SEED)],
    result: BYTES,
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: (parts, [seed]) => toData(withinLimits(() => walletOf(parts).addSeed(seed))),
  }),
  defineMethod({
    name: "personal_newAccount",
    summary: "Creates an account, stored encrypted and unlocked for half an hour",
    params: [required("passphrase", PASSPHRASE)],
    result: BYTES,
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: async (parts, [passphrase], deadline) =>
      toData(await derive(deadline, (signal) => walletOf(parts).create(passphrase, signal))),
  }),
  defineMethod({
    name: "personal_importRawKey",
    summary: "Stores a private key encrypted and unlocks it for half an hour",
    params: [required("key", KEY), required("passphrase", PASSPHRASE)],
    result: BYTES,
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: async (parts, [key, passphrase], deadline) =>
      toData(await derive(deadline, (signal) => walletOf(parts).import(key, passphrase, signal))),
  }),
  defineMethod({
    name: "personal_dumpRawKey",
    summary: "Private key of an unlocked account",
    params: [required("address", ADDRESS)],
    result: BYTES_32,
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: (parts, [address]) => {
      const key = walletOf(parts).privateKey(address);
      if (key !== undefined) return toData(key);
      throw invalidParams("Address private key is locked or could not be found in this node");
    },
  }),
  defineMethod({
    name: "personal_listAccounts",
    summary: "Accounts of the node's wallet",
    params: [],
    result: arrayOf(BYTES),
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: (parts) => walletOf(parts).addresses().map(toData),
  }),
  defineMethod({
    name: "personal_unlockAccount",
    summary: "Unlocks an account for a duration in milliseconds; half an hour by default",
    params: [
      required("address", ADDRESS),
      required("passphrase", PASSPHRASE),
      optional("duration", DURATION, DEFAULT_UNLOCK_TIME),
    ],
    result: TRUTH,
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: (parts, [address, passphrase, duration], deadline) =>
      derive(deadline, (signal) => walletOf(parts).unlock(address, passphrase, duration, signal)),
  }),
  defineMethod({
    name: "personal_lockAccount",
    summary: "Locks an account",
    params: [required("address", ADDRESS)],
    result: TRUTH,
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: (parts, [address]) => walletOf(parts).lock(address),
  }),
  defineMethod({
    name: "personal_sendTransaction",
    summary: "Signs a transaction with an account that is unlocked for this call only, and submits it",
    params: [required("transaction", UNSIGNED_TRANSACTION), required("passphrase", PASSPHRASE)],
    result: BYTES_32,
    errors: ["WALLET_DISABLED", ...SENDING_ERRORS, ...EXECUTION_ERRORS],
    example: "written",
    handler: async (parts, [request, passphrase], deadline) => {
      const key = await derive(deadline, (signal) => walletOf(parts).decrypt(request.from, passphrase, signal));
      if (key === undefined) throw invalidParams("From address private key could not be found in this node");
      return sendTransaction(parts, signRequest(parts, await withGas(parts, request, deadline), key));
    },
  }),
  defineMethod({
    name: "personal_sign",
    summary:
      "Signs a message, prefixed with a fixed text; with a passphrase, the account is unlocked for this call only",
    params: [required("message", DATA), required("account", ADDRESS), optional("passphrase", PASSPHRASE, undefined)],
    result: BYTES,
    errors: ["WALLET_DISABLED"],
    example: "written",
    handler: async (parts, [message, address, passphrase], deadline) => {
      const wallet = walletOf(parts);
      // Remix sends an empty passphrase for accounts that are unlocked.
      const unlocked = passphrase === undefined || passphrase === "" ? wallet.privateKey(address) : undefined;
      const key =
        passphrase === undefined || unlocked !== undefined
          ? unlocked
          : await derive(deadline, (signal) => wallet.decrypt(address, passphrase, signal));
      if (key === undefined) throw invalidParams("Address private key is locked or could not be found in this node");
      return toData(signature(messageHash(message), key));
    },
  }),
];

function walletOf({ accounts }: MethodParts): KeyStore {
  if (accounts === undefined) throw walletDisabled();
  return accounts;
}

/** Derives a key until the deadline passes or the client disconnects: then it is not derived, or not used. */
async function derive<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const given = new AbortController();
  const stopWatching = deadline.onPassed(() => given.abort(timeLimitExceeded()));
  try {
    return await work(given.signal);
  } catch (error) {
    throw answerTo(error);
  } finally {
    stopWatching();
  }
}

function withinLimits<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw answerTo(error);
  }
}

/** The response to an error of the key store. */
function answerTo(error: unknown): unknown {
  if (!(error instanceof AccountsError)) return error;
  switch (error.code) {
    case "INVALID_PRIVATE_KEY":
      return invalidParams("Invalid private key");
    case "BUSY":
      return serverBusy();
    case "TOO_MANY_ACCOUNTS":
      return new RpcError({ code: "LIMIT_EXCEEDED", text: "too many accounts" });
    default:
      return error;
  }
}
