import { METHODS } from "@cambium/api";
import { mineParentBlock, SUBMISSION_METHODS, submissionRequest } from "@cambium/miner/client";
import { fromHex, toData } from "@cambium/primitives";
import type { Block, Transaction } from "@cambium/types";
import { NEIGHBOUR, PEER, type World } from "./world.js";

type Json = ReturnType<typeof JSON.parse>;

/** Objects in a world's chain for example requests to refer to. */
export interface Contents {
  /** A block with a transfer, a creation, a call and an uncle. */
  block: Block;
  contract: Uint8Array;
  creation: Transaction;
  call: Transaction;
}

/**
 * Fills a world with three blocks, one of them a side block, a pending and a queued transaction, a scored peer, and a
 * ban.
 */
export async function fill(world: World): Promise<Contents> {
  const genesis = world.chain.best().hash;
  await world.mine([world.sign()]);
  await world.mine([], genesis, 1);
  const transfer = world.sign({ to: NEIGHBOUR, data: fromHex("68656c6c6f21") });
  const { creation, address: contract } = world.signLogger();
  const call = world.sign({ to: contract, value: 0n });
  const block = await world.mine([transfer, creation, call]);
  const [pending, _missing, waiting] = [world.sign(), world.sign(), world.sign()];
  for (const transaction of [pending, waiting]) world.pool.add(transaction, { local: true });
  world.scoring.record({ peer: PEER.id, ip: PEER.ip }, "SUCCESSFUL_HANDSHAKE");
  world.scoring.banAddress("198.51.100.7");
  return { block, contract, creation, call };
}

/** Replaces hashes and ids of an example, which are from another chain, with those of a filled world. */
export async function localised(
  world: World,
  contents: Contents,
  { method, params, result }: { method: string; params: readonly Json[]; result: Json },
): Promise<Json[]> {
  if (method.startsWith("mnr_submit")) return solution(world, method);
  if (method === "eth_sendRawTransaction") return [toData(world.sign().encoded)];
  const definition = METHODS.find(({ name }) => name === method)!;
  const own: Json[] = [];
  for (const [i, param] of params.entries()) {
    const type = definition.params[i]?.type;
    if (type === undefined) own.push(param);
    else if (type.name === "FILTER_ID") own.push(await installedFilter(world, contents, result));
    else own.push(ownParam(type.name, String(type.schema.title), { param, method, result, world, contents }));
  }
  return own;
}

interface Example {
  param: Json;
  method: string;
  result: Json;
  world: World;
  contents: Contents;
}

function ownParam(type: string, title: string, { param, method, result, world, contents }: Example): Json {
  const { block, contract } = contents;
  switch (type) {
    case "HASH32":
      return toData(title === "block hash" ? block.hash : transactionLike(result, contents).hash);
    case "BLOCK":
      return isHex(param) ? `0x${block.number.toString(16)}` : param;
    case "INDEX":
      return `0x${positionLike(result, contents).toString(16)}`;
    case "ADDRESS":
      return toData(/Code|Storage/.test(method) ? contract : world.sender);
    case "CALL":
      return { ...param, from: toData(world.sender), to: toData(contract), value: "0x0" };
    case "TRANSACTION":
      return { ...param, from: toData(world.sender) };
    case "LOG_FILTER":
      return { fromBlock: "0x1", address: toData(contract) };
    default:
      return param;
  }
}

function isHex(param: Json): boolean {
  return typeof param === "string" && param.startsWith("0x");
}

/** A creation if the example is one, otherwise a call that logs. */
function transactionLike(result: Json, { creation, call }: Contents): Transaction {
  const first = Array.isArray(result) ? result[0] : result;
  const isCreation =
    first?.to === null || typeof first?.contractAddress === "string" || first?.action?.init !== undefined;
  return isCreation ? creation : call;
}

/** The index of the reward transaction if the example is one; otherwise 0. */
function positionLike(result: Json, { block }: Contents): number {
  const isReward = block.transactions.at(-1)!.to !== null && result?.to === toData(block.transactions.at(-1)!.to!);
  return isReward ? block.transactions.length - 1 : 0;
}

/** A filter with changes of the same kind as the example. */
async function installedFilter(world: World, { contract }: Contents, result: Json): Promise<Json> {
  const isOfHashes = Array.isArray(result) && typeof result[0] === "string";
  const id = isOfHashes
    ? await world.result("eth_newBlockFilter")
    : await world.result("eth_newFilter", { fromBlock: "0x1", address: toData(contract) });
  world.skipWaiting();
  await world.mine([world.sign({ to: contract, value: 0n })]);
  return id;
}

/** Parameters that submit a solution of the world's current work. */
async function solution(world: World, method: string): Promise<string[]> {
  const work = (await world.result("mnr_getWork")) as { blockHashForMergedMining: string; target: string };
  const never = new AbortController().signal;
  const block = await mineParentBlock(fromHex(work.blockHashForMergedMining), BigInt(work.target), 0, never);
  const submissions = SUBMISSION_METHODS.map((way) => submissionRequest(way, block));
  return submissions.find(([name]) => name === method)?.[1] ?? [];
}
