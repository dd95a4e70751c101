import { fromHex, toData, utf8 } from "@cambium/primitives";
import { failed } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { ADDED_METHODS } from "./additions.js";
import { revertingWith } from "./code.js";
import { fill } from "./contents.js";
import { send } from "./http.js";
import { inWorld, NEIGHBOUR, type Situation, type World } from "./world.js";
import { WsClient } from "./ws.js";

type Json = ReturnType<typeof JSON.parse>;

/** A need of client libraries, in one sentence, from `clients.json`. */
export interface ClientCase {
  need: string;
}

/** A sentence, the situation it applies to, and a check whether the node satisfies it. */
interface Need {
  says: RegExp;
  situation?: Situation;
  holds(world: World, words: readonly string[]): Promise<boolean>;
}

const REVERTER = new Uint8Array(20).fill(0xbb);
/** `Error("bad")`. */
const REASON = fromHex(
  `08c379a0${"20".padStart(64, "0")}${"3".padStart(64, "0")}${Buffer.from(utf8("bad")).toString("hex").padEnd(64, "0")}`,
);
const REVERTS: Situation = { accounts: [{ address: REVERTER, balance: 0n, code: revertingWith(REASON) }] };

const NEEDS: readonly Need[] = [
  {
    says: /^no (\w+) member in blocks$/,
    async holds(world, [member]) {
      await world.mine();
      const block = (await world.result("eth_getBlockByNumber", "latest", true)) as object;
      return !(member! in block);
    },
  },
  {
    says: /^reward transaction with ([\w,]+) = (0x[0-9a-f]+)$/,
    async holds(world, [members, value]) {
      const { transactions } = (await lastBlock(world)) as { transactions: Json[] };
      return members!.split(",").every((member) => transactions.at(-1)[member] === value);
    },
  },
  {
    says: /^(\w+(?:(?:, | and )\w+)*) answers? (-\d+)$/,
    async holds(world, [methods, code]) {
      for (const method of methods!.split(/, | and /)) {
        const answered = (await world.ask(method, [])).error?.code;
        if ((answered === Number(code)) === ADDED_METHODS.has(method)) return false;
      }
      return true;
    },
  },
  {
    says: /^HTTP (\d+) for method-level errors$/,
    situation: REVERTS,
    async holds({ server }, [expected]) {
      const { port } = await server.listen();
      const failing = [
        { jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ to: toData(REVERTER) }, "latest"] },
        { jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: ["0x1", "latest"] },
      ];
      for (const request of failing) {
        const { status, json } = await post(port, request);
        if (status !== Number(expected) || json.error === undefined) return false;
      }
      return true;
    },
  },
  {
    says: /^revert: message contains "(.+)" and data is hex in the same object$/,
    situation: REVERTS,
    async holds(world, [word]) {
      const { error } = await world.ask("eth_call", [{ to: toData(REVERTER) }, "latest"]);
      return error?.message.includes(word!) === true && error.data === toData(REASON);
    },
  },
  {
    says: /^pool text contains "(.+)" and "(.+)"$/,
    async holds(world, words) {
      const used = world.sign();
      await world.mine([used]);
      const { error } = await world.ask("eth_sendRawTransaction", [
        toData(world.sign({ nonce: 0n, value: 2n }).encoded),
      ]);
      return words.every((word) => error?.message.includes(word));
    },
  },
  {
    says: /^unknown filter = (-\d+)$/,
    async holds(world, [code]) {
      for (const method of ["eth_getFilterChanges", "eth_getFilterLogs"]) {
        if ((await world.ask(method, ["0x16"])).error?.code !== Number(code)) return false;
      }
      return true;
    },
  },
  {
    says: /^batches of (\d+)$/,
    async holds({ server }, [size]) {
      const { port } = await server.listen();
      const batch = Array.from({ length: Number(size) }, (_, id) => ({ jsonrpc: "2.0", id, method: "eth_chainId" }));
      const { json } = await post(port, batch);
      return (
        Array.isArray(json) && json.length === batch.length && json.every(({ result }) => result === json[0].result)
      );
    },
  },
  {
    says: /^notification (\w+) over WebSocket tolerated$/,
    async holds({ server }, [method]) {
      const { ws } = await server.listen();
      const client = await WsClient.open(ws!.port);
      client.send({ jsonrpc: "2.0", method, params: [] });
      const answer = await client.ask({ jsonrpc: "2.0", id: 7, method: "eth_chainId", params: [] });
      client.close();
      return answer.id === 7 && answer.error === undefined;
    },
  },
  {
    says: /^extra members in call objects ignored \(([\w, ]+)\)$/,
    async holds(world, [members]) {
      const call = { from: toData(world.sender), to: toData(NEIGHBOUR) };
      const extra = Object.fromEntries(members!.split(", ").map((member) => [member, EXTRA[member] ?? "0x1"]));
      const plain = await world.ask("eth_call", [call, "latest"]);
      const extended = await world.ask("eth_call", [{ ...call, ...extra }, "latest"]);
      return plain.result !== undefined && plain.result === extended.result;
    },
  },
];

/** Additional members that libraries send. */
const EXTRA: Readonly<Record<string, unknown>> = { type: "0x2", chainId: "0x21", accessList: [] };

/** Checks each sentence on a separate node. */
export async function* runClientNeeds(name: string, cases: readonly ClientCase[]): AsyncGenerator<CaseResult> {
  for (const { need } of cases) {
    const title = `${name}/${need}`;
    const known = NEEDS.find(({ says }) => says.test(need));
    if (known === undefined) yield failed(title, "there is no check for this need");
    else {
      const words = known.says.exec(need)!.slice(1);
      const holds = await inWorld(known.situation ?? {}, (world) => known.holds(world, words));
      yield holds ? { name: title, outcome: "passed" } : failed(title, "the node does not satisfy this need");
    }
  }
}

async function lastBlock(world: World): Promise<unknown> {
  await fill(world);
  return world.result("eth_getBlockByNumber", "latest", true);
}

async function post(port: number, value: unknown): Promise<{ status: number; json: Json }> {
  return send({ port, headers: { "content-type": "application/json" }, body: JSON.stringify(value) });
}
