import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMPATIBILITIES } from "@cambium/api/config";
import { type Shown, verify } from "@cambium/test-utils/chains/proof-verifier";
import { TOO_MUCH } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RunningNode, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient, sleep, until } from "@cambium/test-utils/rpc-client";
import { dataSlice, getBytes, keccak256, Wallet } from "ethers";
import { Ethers } from "./tour/ethers.js";
import type { Channel, Library, LibraryOptions } from "./tour/library.js";
import { Viem } from "./tour/viem.js";
import { Web3js } from "./tour/web3.js";

const LIBRARIES: Record<string, new (options: LibraryOptions) => Library> = {
  ethers: Ethers,
  viem: Viem,
  web3: Web3js,
};

/** Runs the same tour through each library, unmodified and on the same node: the tours do not affect each other. */
for (const mode of COMPATIBILITIES) {
  describe(`client libraries on a local chain, ${mode}`, () => {
    let folder: string;
    let node: RunningNode;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
      node = await startNode("--network", "local", "--mine", "--data-dir", folder, "--rpc.compatibility", mode);
    });
    after(async () => {
      assert.equal(await node.stop(), 0);
      rmSync(folder, { recursive: true });
    });

    for (const [i, [name, Class]] of Object.entries(LIBRARIES).entries()) {
      const connect = () => new Class({ url: node.url, wsUrl: node.wsUrl!, privateKey: DEVELOPERS[i]!.privateKey });
      describe(name, () => describeTour(connect, () => node.url));
    }
  });
}

function describeTour(connect: () => Library, urlOf: () => string): void {
  let library: Library;
  let rpc: RpcClient;
  let counter: string;

  before(() => {
    library = connect();
    rpc = new RpcClient(urlOf());
  });
  after(() => library.close());

  it("deploys, calls and sends to a contract, and finds its logs", async () => {
    counter = await library.deploy();
    assert.equal(await library.total(counter), 0n);
    const first = await library.add(counter, 5);
    const second = await library.add(counter, 37);
    assert.deepEqual([first.succeeded, first.totals, second.totals], [true, [5n], [42n]]);
    assert.equal(second.blockNumber, first.blockNumber + 1);
    assert.equal((await rpc.call("eth_getTransactionReceipt", first.hash)).blockNumber, hex(first.blockNumber));
    assert.equal(await library.total(counter), 42n);
    assert.deepEqual(await library.pastTotals(counter), [5n, 42n]);
  });

  it("reports why a transaction fails", async () => {
    await assert.rejects(library.add(counter, 101), (error) => says(error, TOO_MUCH));
    await assert.rejects(library.addInVain(counter, 101), (error) => says(error, TOO_MUCH));
    assert.equal(await library.total(counter), 42n);
  });

  it("sends coins, and reads balances in a batch", async () => {
    const receivers = Array.from({ length: 3 }, () => Wallet.createRandom().address.toLowerCase());
    for (const [i, to] of receivers.entries()) {
      const receipt = await rpc.call("eth_getTransactionReceipt", await library.send(to, BigInt(i + 1)));
      assert.deepEqual([receipt.to, receipt.status, receipt.gasUsed], [to, "0x1", "0x5208"]);
    }
    assert.deepEqual(await library.balances([...receivers, counter]), [1n, 2n, 3n, 0n]);
  });

  it("proves an account and its cells", async () => {
    const { balance, nonce, accountProof, storageProof } = await library.proof(counter, [0n, 1n]);
    assert.deepEqual([balance, nonce], [0n, 0]);
    const { stateRoot } = await rpc.call("eth_getBlockByNumber", "latest", false);
    const shown = (key: string, proof: string[]): Shown => {
      return verify(
        getBytes(stateRoot),
        getBytes(key),
        proof.map((node) => getBytes(node)),
      );
    };
    assert.equal(shown(accountKey(counter), accountProof).kind, "present");
    const [total, missing] = storageProof;
    assert.deepEqual([total!.key, total!.value, missing!.key, missing!.value], [0n, 42n, 1n, 0n]);
    const value = Uint8Array.of(42);
    assert.deepEqual(shown(cellKey(counter, 0), total!.proof), { kind: "present", value });
    assert.equal(shown(cellKey(counter, 1), missing!.proof).kind, "absent");
  });

  for (const channel of ["filters", "subscriptions"] satisfies Channel[]) {
    it(`is notified of blocks, logs and transactions by ${channel}, until it unsubscribes`, async () => {
      const own = await library.deploy();
      const watch = await library.watch(own, channel);
      const added = [await library.add(own, 1), await library.add(own, 2), await library.add(counter, 0)];
      const blocks = added.map(({ blockNumber }) => blockNumber);
      const hashes = added.map(({ hash }) => hash);
      const received = () => [watch.heads, watch.totals, watch.pending];
      const isComplete = () =>
        watch.heads.includes(blocks[2]!) && watch.totals.length >= 2 && watch.pending.length >= 3;
      await until(async () => isComplete());
      // Libraries may start at the last block.
      const heads = watch.heads.filter((number) => number >= blocks[0]! && number <= blocks[2]!);
      const all = Array.from({ length: blocks[2]! - blocks[0]! + 1 }, (_, i) => blocks[0]! + i);
      assert.deepEqual([heads, watch.totals, watch.pending], [all, [1n, 3n], hashes]);
      assert.equal(all.length, 3);
      await watch.stop();
      const before = structuredClone(received());
      await library.add(own, 3);
      await sleep(200);
      assert.deepEqual(received(), before);
    });
  }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** The libraries hide the reason of a revert in members of errors and of their causes. */
function says(error: unknown, reason: string): boolean {
  if (!(error instanceof Error)) return false;
  const { message, cause, ...members } = error as Error & { reason?: unknown; innerError?: unknown };
  const said = [message, members.reason].some((text) => typeof text === "string" && text.includes(reason));
  return said || says(cause, reason) || says(members.innerError, reason);
}

/** Returns keys of the one trie of this chain: `spec/01 §4.4`. */
function accountKey(address: string): string {
  return `0x00${dataSlice(keccak256(address), 0, 10).slice(2)}${address.slice(2)}`;
}

function cellKey(address: string, slot: number): string {
  const hash = keccak256(`0x${slot.toString(16).padStart(64, "0")}`);
  return `${accountKey(address)}00${dataSlice(hash, 0, 10).slice(2)}${slot.toString(16).padStart(2, "0")}`;
}
