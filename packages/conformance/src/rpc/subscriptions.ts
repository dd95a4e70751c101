import type { SyncStatus } from "@cambium/api";
import { failed } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { withoutAdditions } from "./additions.js";
import { shapeDifference } from "./shape.js";
import { inWorld, type World } from "./world.js";
import { WsClient } from "./ws.js";

type Json = ReturnType<typeof JSON.parse>;

/** Content of `subscriptions.json`. */
export interface SubscriptionsFile {
  requests: { request: Json; response?: Json; error?: number }[];
  notifications: { type: string; message: Json }[];
}

type NotificationCase = SubscriptionsFile["notifications"][number];

/** Subscribes over WebSocket and compares responses and notifications. */
export async function* runSubscriptions(
  name: string,
  { requests, notifications }: SubscriptionsFile,
): AsyncGenerator<CaseResult> {
  for (const [i, one] of requests.entries()) {
    const title = `${name}/request ${i + 1} ${one.request.method} ${JSON.stringify(one.request.params)}`;
    const difference = await connected(async (_world, client) => answerDifference(await client.ask(one.request), one));
    yield verdict(title, difference);
  }
  yield* await connected(async (world, client) => {
    const seen = await everythingTold(world, client, notifications);
    return notifications.map((one, i) =>
      verdict(`${name}/notification ${i + 1} ${one.type}`, notificationDifference(seen, one)),
    );
  });
}

function verdict(name: string, difference: string | undefined): CaseResult {
  return difference === undefined ? { name, outcome: "passed" } : failed(name, difference);
}

/** Runs `use` with a client of a new server. */
function connected<T>(use: (world: World, client: WsClient) => Promise<T>): Promise<T> {
  return inWorld({}, async (world) => {
    const { ws } = await world.server.listen();
    const client = await WsClient.open(ws!.port);
    try {
      return await use(world, client);
    } finally {
      client.close();
    }
  });
}

const SUBSCRIPTION = /^0x[0-9a-f]{32}$/;

/** Compares a response; subscription ids are random, any other result is compared exactly. */
function answerDifference(
  answer: Json,
  { request, response, error }: SubscriptionsFile["requests"][number],
): string | undefined {
  if (error !== undefined) return firstDifference([answer.id, answer.error?.code], [request.id, error], "error");
  const isRandom = SUBSCRIPTION.test(response.result) && SUBSCRIPTION.test(answer.result);
  return firstDifference(isRandom ? { ...answer, result: response.result } : answer, response, "response");
}

/**
 * Notifications of a client that subscribes to everything: blocks, a reorganisation, the pool and the given progress.
 */
async function everythingTold(
  world: World,
  client: WsClient,
  notifications: readonly NotificationCase[],
): Promise<NotificationCase[]> {
  const types = new Map<string, string>();
  for (const type of new Set(notifications.map((one) => one.type))) {
    const { result } = await client.ask({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: [type] });
    types.set(result, type);
  }
  await makeNews(world);
  for (const { type, message } of notifications) {
    if (type === "syncing") world.tellSync(syncStatus(message.params.result));
  }
  await client.until(() => false, 300);
  return client.notifications.map((message) => ({ type: types.get(message.params.subscription)!, message }));
}

/** Causes a log that a longer branch removes, and a pending transaction. */
async function makeNews(world: World): Promise<void> {
  const { creation, address } = world.signLogger();
  const parent = await world.mine([creation]);
  await world.mine([world.sign({ to: address, value: 0n })]);
  const branch = await world.mine([], parent.hash, 1);
  await world.mine([], branch.hash, 1);
  world.skipWaiting();
  world.pool.add(world.sign(), { local: true });
}

function syncStatus(result: Json): SyncStatus {
  if (result === false) return false;
  const { startingBlock, currentBlock, highestBlock } = result;
  return {
    startingBlock: Number(startingBlock),
    currentBlock: Number(currentBlock),
    highestBlock: Number(highestBlock),
  };
}

/** Why no notification matches the example, described for the last one of the same type. */
function notificationDifference(seen: readonly NotificationCase[], { type, message }: NotificationCase) {
  let difference: string | undefined = `there is no notification of ${type}`;
  for (const one of seen) {
    if (one.type !== type) continue;
    difference = messageDifference(type, one.message, message);
    if (difference === undefined) return undefined;
  }
  return difference;
}

function messageDifference(type: string, message: Json, example: Json): string | undefined {
  const [mine, theirs] = [message.params.result, example.params.result];
  const difference = shapeDifference(withoutBlockMembers(type, withoutAdditions(message), example), example, "message");
  if (difference !== undefined || typeof theirs !== "object") return difference;
  // Booleans, and all members of a status that the test itself emits.
  return type === "syncing"
    ? firstDifference(mine, theirs, "result")
    : firstDifference(mine.removed, theirs.removed, "result.removed");
}

/** A head with the members of the recorded one only: heads have every member of a block (decision). */
function withoutBlockMembers(type: string, message: Json, example: Json): Json {
  if (type !== "newHeads") return message;
  const known = Object.keys(example.params.result);
  const head = Object.fromEntries(Object.entries(message.params.result).filter(([name]) => known.includes(name)));
  return { ...message, params: { ...message.params, result: head } };
}
