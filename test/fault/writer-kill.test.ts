import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { RunningNode } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { Cluster, headOf } from "@cambium/test-utils/servers/cluster";
import { hasNatsServer } from "@cambium/test-utils/servers/nats-server";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type MsgHdrs } from "@nats-io/transport-node";

/** Number of killed writers; the long form of the test sets 100. */
const KILLS = Number(process.env.CAMBIUM_KILLS ?? 6);
const STREAM = "cambium-local";
const WRITERS = ["one", "two"];
const REPLICA = "replica";

interface Batch {
  sequence: number;
  hash: string;
  previous: string;
}

/**
 * Returns the batches of a stream in their order, without those that a killed writer has published only in part, and
 * the numbers of its terms.
 */
async function published(url: string): Promise<{ batches: Batch[]; terms: number[] }> {
  const connection = await connect({ servers: new URL(url).host });
  try {
    const { streams } = await jetstreamManager(connection);
    const { state } = await streams.info(STREAM);
    const [batches, terms]: [Batch[], number[]] = [[], []];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const { header } = (await streams.getMessage(STREAM, { seq }))!;
      const [index, count] = header.get("Cambium-Piece").split("/").map(Number) as [number, number];
      if (count === 0) terms.push(Number(header.get("Cambium-Term")));
      else if (index + 1 === count) batches.push(batchOf(header));
    }
    return { batches, terms };
  } finally {
    await connection.close();
  }
}

function batchOf(header: MsgHdrs): Batch {
  const [hash, previous] = [header.get("Cambium-Hash"), header.get("Cambium-Previous")];
  return { sequence: Number(header.get("Cambium-Batch")), hash, previous };
}

function client({ url }: RunningNode): RpcClient {
  return new RpcClient(url, false);
}

async function heightOf(node: RunningNode): Promise<number> {
  return Number(await client(node).call("eth_blockNumber"));
}

/** Sends transactions and reverts blocks. Rejects if the writer is killed. */
async function use(node: RunningNode): Promise<void> {
  const rpc = client(node);
  const [from] = await rpc.call("eth_accounts");
  for (let round = 0; round < 10; round++) {
    const snapshot = await rpc.call("evm_snapshot");
    for (let i = 0; i < 4; i++) await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208" });
    await rpc.call("evm_mine");
    await rpc.call("evm_revert", snapshot);
    await rpc.call("evm_mine");
  }
}

function otherThan(name: string): string {
  return WRITERS.find((other) => other !== name)!;
}

describe("two writers of a stream", function () {
  this.timeout(40 * 60_000);

  it("take over from each other when they are killed, without a batch that is lost or doubled", async function () {
    if (!hasNatsServer()) this.skip();
    const chance = random(SEED);
    const cluster = await Cluster.start();
    let writer: string | undefined;
    const start = async (name: string) => {
      if (name === REPLICA) {
        await cluster.startReplica(name);
        return;
      }
      const shared = ["--replicate.standby", "--replicate.copies", "1"];
      const node = await cluster.startWriter(name, ["--mine.interval", "50", ...shared]);
      node.process.stdout!.on("data", (text) => {
        if (String(text).includes("Node started on network")) writer = name;
      });
    };
    const hasWriter = () => until(async () => writer !== undefined);
    // A node with a diverged database is absent until it has a new copy.
    const allFollow = async () => {
      const height = await heightOf(cluster.node(REPLICA));
      const heights = () => Promise.all([...cluster.nodes.values()].map((node) => heightOf(node).catch(() => 0)));
      await until(async () => Math.min(...(await heights())) > height + 2);
    };
    const kill = async (name: string, signal: NodeJS.Signals) => {
      const isWriter = name === writer;
      if (isWriter) writer = undefined;
      await cluster.node(name).stop(signal);
      // The other node may take over before the killed one has restarted, or both may run.
      if (chance() < 0.5) await hasWriter();
      await start(name);
    };
    // The writer continues its work after the other one has taken over: none of it may reach the stream.
    const cutOff = async () => {
      const { process } = cluster.node(writer!);
      writer = undefined;
      process.kill("SIGSTOP");
      await hasWriter();
      process.kill("SIGCONT");
    };
    try {
      await start(WRITERS[0]!);
      await hasWriter();
      await start(WRITERS[1]!);
      await cluster.backup(WRITERS[0]!, REPLICA);
      await start(REPLICA);
      for (let round = 0; round < KILLS; round++) {
        await hasWriter();
        await allFollow();
        const using = use(cluster.node(writer!)).catch(() => undefined);
        await delay(chance() * 500);
        const disturbance = chance();
        if (disturbance < 0.2) await cutOff();
        else await kill(disturbance < 0.85 ? writer! : otherThan(writer!), disturbance < 0.7 ? "SIGKILL" : "SIGTERM");
        await using;
      }
      await hasWriter();
      await allFollow();
      await client(cluster.node(writer!)).call("evm_setIntervalMining", 0);
      const all = [...WRITERS, REPLICA];
      await until(async () => new Set(await Promise.all(all.map((name) => headOf(cluster.node(name))))).size === 1);
      const { batches, terms } = await published(cluster.url);
      await cluster.killNodes();
      for (const [index, { sequence, previous }] of batches.entries()) {
        if (index === 0) continue;
        assert.equal(sequence, batches[index - 1]!.sequence + 1);
        assert.equal(previous, batches[index - 1]!.hash);
      }
      assert.deepEqual(
        terms,
        [...new Set(terms)].sort((a, b) => a - b),
      );
      assert.ok(terms.length > 1);
      await cluster.endEqual(all);
    } finally {
      await cluster.remove();
    }
  });
});
