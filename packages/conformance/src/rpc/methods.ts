import { METHODS, type SyncStatus } from "@cambium/api";
import type { GenesisAccount } from "@cambium/config";
import { bigintToBytes, bigintToFixedBytes, fromHex } from "@cambium/primitives";
import { moduleConfig } from "@cambium/rpc";
import { failed, pending } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { withoutAdditions } from "./additions.js";
import { fill, localised } from "./contents.js";
import { isOfOtherSituation, situationOf } from "./notes.js";
import { shapeDifference } from "./shape.js";
import { inWorld, type Situation, type World } from "./world.js";

type Json = ReturnType<typeof JSON.parse>;

/** A request and its result, from `methods.json`. */
export interface MethodCase {
  method: string;
  params: Json[];
  result: Json;
  /** `exact`: this value, if the situation of the note can be set up; otherwise a value of the same form. */
  kind: "exact" | "shape" | "pattern";
  note?: string;
}

const SERVED: ReadonlySet<string> = new Set(METHODS.map(({ name }) => name));

/** Sends each case's request to a separate node. */
export async function* runMethods(name: string, cases: readonly MethodCase[]): AsyncGenerator<CaseResult> {
  for (const [i, one] of cases.entries()) {
    const title = `${name}/${i + 1} ${one.method}`;
    if (!SERVED.has(one.method)) yield pending(title, `rpc method ${one.method}`);
    else yield verdict(title, await inWorld(situationFor(one), (world) => differenceOf(world, one)));
  }
}

function verdict(name: string, difference: string | undefined): CaseResult {
  return difference === undefined ? { name, outcome: "passed" } : failed(name, difference);
}

/** The situation from the note and from the result itself: enabled modules, progress, an account's state. */
function situationFor({ method, params, note, result, kind }: MethodCase): Situation {
  const situation = situationOf(note);
  if (method === "rpc_modules") {
    const modules = Object.fromEntries(Object.keys(result).map((name) => [name, moduleConfig()]));
    return { ...situation, config: { ...situation.config, modules } };
  }
  if (method === "eth_syncing" && result !== false) return { ...situation, sync: syncStatus(result) };
  const state = kind === "exact" ? STATES[method]?.(result, params) : undefined;
  return state === undefined ? situation : { ...situation, accounts: [{ ...state, address: fromHex(params[0]) }] };
}

type AccountState = Omit<GenesisAccount, "address">;

/** The account that makes a method return the result; undefined if any absent account does. */
const STATES: Readonly<Record<string, (result: string, params: readonly string[]) => AccountState | undefined>> = {
  eth_getBalance: (result) => (isNothing(result) ? undefined : { balance: BigInt(result) }),
  eth_getTransactionCount: (result) => (isNothing(result) ? undefined : { balance: 0n, nonce: BigInt(result) }),
  eth_getCode: (result) => (isNothing(result) ? undefined : { balance: 0n, code: fromHex(result) }),
  eth_getStorageAt: (result, [, position]) => {
    const cell = { slot: bigintToFixedBytes(BigInt(position!), 32), value: bigintToBytes(BigInt(result)) };
    return isNothing(result) ? undefined : { balance: 0n, storage: [cell] };
  },
};

function isNothing(result: string): boolean {
  return /^0x0*$/.test(result);
}

function syncStatus(result: Readonly<Record<string, string>>): SyncStatus {
  const { startingBlock, currentBlock, highestBlock } = result;
  return {
    startingBlock: Number(startingBlock),
    currentBlock: Number(currentBlock),
    highestBlock: Number(highestBlock),
  };
}

async function differenceOf(world: World, one: MethodCase): Promise<string | undefined> {
  const { method, params, result, kind, note } = one;
  if (kind !== "exact" || isOfOtherSituation(note)) {
    const contents = await fill(world);
    await world.startMiner();
    const answer = await world.ask(method, await localised(world, contents, one));
    const example = OWN_FORMS[method]?.(result) ?? result;
    return answer.error === undefined
      ? shapeDifference(withoutAdditions(answer.result), example)
      : refusal(answer.error);
  }
  for (let earlier = earlierCalls(note); earlier > 0; earlier--) await world.result(method, ...params);
  const answer = await world.ask(method, params);
  return answer.error === undefined
    ? firstDifference(withoutAdditions(answer.result), result, "result")
    : refusal(answer.error);
}

/** Results that this node formats differently: peers have no host names (`spec/07 §C.6`). */
const OWN_FORMS: Readonly<Record<string, (result: Json) => Json>> = {
  net_peerList: (lines: readonly string[]) => lines.map((line) => line.replace(/ \| [^/]*\//, " | ")),
};

function refusal({ code, message }: { code: number; message: string }): string {
  return `the answer is the error ${code}: ${message}`;
}

const ORDINALS = ["first", "second", "third"];

/** Number of earlier identical requests. */
function earlierCalls(note = ""): number {
  return Math.max(0, ORDINALS.indexOf(note.split(" ")[0]!));
}
