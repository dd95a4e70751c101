import { METHODS, moduleConfig, type SyncStatus } from "@cambium/rpc";
import { failed, pending } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { fill, localised } from "./contents.js";
import { situationOf } from "./notes.js";
import { shapeDifference } from "./shape.js";
import { inWorld, type Situation, type World } from "./world.js";

type Json = ReturnType<typeof JSON.parse>;

/** A request and its result, of `methods.json`. */
export interface MethodCase {
  method: string;
  params: Json[];
  result: Json;
  /** `exact`: this value, in the situation of the note; otherwise a value of the same form. */
  kind: "exact" | "shape" | "pattern";
  note?: string;
}

const SERVED: ReadonlySet<string> = new Set(METHODS.map(({ name }) => name));

/** Asks what the cases ask, each of a node of its own. */
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

/** The situation of the note, and what the result itself tells: modules that are on, a synchronisation under way. */
function situationFor({ method, note, result }: MethodCase): Situation {
  const situation = situationOf(note);
  if (method === "rpc_modules") {
    const modules = Object.fromEntries(Object.keys(result).map((name) => [name, moduleConfig()]));
    return { ...situation, config: { ...situation.config, modules } };
  }
  return method === "eth_syncing" && result !== false ? { ...situation, sync: syncStatus(result) } : situation;
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
  if (kind === "exact") {
    for (let earlier = earlierCalls(note); earlier > 0; earlier--) await world.result(method, ...params);
    const answer = await world.ask(method, params);
    return answer.error === undefined ? firstDifference(answer.result, result, "result") : refusal(answer.error);
  }
  const contents = await fill(world);
  world.startMiner();
  const answer = await world.ask(method, await localised(world, contents, one));
  return answer.error === undefined ? shapeDifference(answer.result, result) : refusal(answer.error);
}

function refusal({ code, message }: { code: number; message: string }): string {
  return `the answer is the error ${code}: ${message}`;
}

const ORDINALS = ["first", "second", "third"];

/** How often the same was asked before. */
function earlierCalls(note = ""): number {
  return Math.max(0, ORDINALS.indexOf(note.split(" ")[0]!));
}
