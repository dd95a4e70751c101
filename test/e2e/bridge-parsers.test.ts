import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";
import { type BridgeState, getBridgeState } from "@rsksmart/bridge-state-data-parser";
import { bridge } from "@rsksmart/rsk-precompiled-abis";
import { Contract, decodeRlp, FunctionFragment, getBytes, Interface, JsonRpcProvider, ZeroHash } from "ethers";
import { RECORDED_NETWORK } from "./companion.js";

/** Views of the published ABI that take no arguments and return a result in every state. */
const PLAIN_VIEWS = new Interface(bridge.abi).fragments.filter(
  (fragment): fragment is FunctionFragment =>
    fragment instanceof FunctionFragment && fragment.stateMutability === "view" && fragment.inputs.length === 0,
);

const blocks = vectorPath("chains", "bridge-basic.blocks.txt.gz");
const NETWORK = ["--network", RECORDED_NETWORK];

/** Published libraries that read the bridge, unmodified, against a node over HTTP. */
describe("published readers of the bridge", () => {
  let folder: string;
  let node: RunningNode;
  let provider: JsonRpcProvider;
  let contract: Contract;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
    const options = [...NETWORK, "--data-dir", folder];
    const { status, stderr } = await runCli("import", blocks!, ...options);
    assert.equal(status, 0, stderr);
    node = await startNode(...options);
    provider = new JsonRpcProvider(node.url, undefined, { staticNetwork: true });
    contract = new Contract(bridge.address, bridge.abi, provider);
  });

  after(async () => {
    provider.destroy();
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  const view = (name: string, ...args: unknown[]) => contract.getFunction(name).staticCall(...args);

  async function report(part: string) {
    const { stdout } = await runCli("bridge", part, ...NETWORK, "--data-dir", folder, "--json");
    return JSON.parse(stdout);
  }

  it("every view without arguments returns its published type", async () => {
    assert.ok(PLAIN_VIEWS.length > 25);
    for (const { name } of PLAIN_VIEWS) await assert.doesNotReject(view(name), name);
  });

  it("views agree with each other", async () => {
    const size = Number(await view("getFederationSize"));
    assert.equal(Number(await view("getFederationThreshold")), Math.floor(size / 2) + 1);
    const script: string = await view("getActivePowpegRedeemScript");
    for (let i = 0; i < size; i++) {
      const key: string = await view("getFederatorPublicKeyOfType", i, "btc");
      assert.ok(script.includes(key.slice(2)), "a member's key is in the redeem script");
    }
    const height = await view("getBtcBlockchainBestChainHeight");
    const header: string = await view("getBtcBlockchainBestBlockHeader");
    assert.equal(getBytes(header).length, 80);
    assert.equal(await view("getBtcBlockchainBlockHeaderByHeight", height), header);
    const hash: string = await view("getBtcBlockchainBlockHashAtDepth", 0);
    assert.equal(await view("getBtcBlockchainBlockHeaderByHash", hash), header);
    assert.equal(
      await view("getBtcBlockchainParentBlockHeaderByHash", hash),
      await view("getBtcBlockchainBlockHeaderByHeight", height - 1n),
    );
    assert.equal(await view("isBtcTxHashAlreadyProcessed", ZeroHash.slice(2)), false);
    assert.equal(await view("getBtcTxHashProcessedHeight", ZeroHash.slice(2)), -1n);
    assert.equal(await view("hasBtcBlockCoinbaseTransactionInformation", ZeroHash), false);
  });

  it("the state parser reads each block's state", async () => {
    const best = await provider.getBlockNumber();
    for (let number = 1; number <= best; number += 10) {
      const state = await getBridgeState(node.url, `0x${number.toString(16)}`);
      assert.equal(
        BigInt(state.pegoutRequests.length),
        await contract.getFunction("getQueuedPegoutsCount").staticCall({ blockTag: number }),
      );
    }
  });

  it("the state parser, the views and the command line agree", async () => {
    const state: BridgeState = await getBridgeState(node.url);
    assert.equal(BigInt(state.nextPegoutCreationBlockNumber), await view("getNextPegoutCreationBlockNumber"));
    assert.ok(state.pegoutRequests.length > 0);
    const releases = decodeRlp(await view("getStateForBtcReleaseClient"));
    assert.deepEqual(releases, [state.pegoutsWaitingForSignatures.flatMap((entry) => Object.values(entry))]);

    const { queued, waitingForConfirmations } = await stopped(() => report("pegouts"));
    assert.deepEqual(
      state.pegoutRequests.map(({ amountInSatoshis, rskTxHash }) => [amountInSatoshis, `0x${rskTxHash}`]),
      queued.map(({ amount, requestedBy }: Record<string, string>) => [amount, requestedBy]),
    );
    assert.equal(state.pegoutsWaitingForConfirmations.length, waitingForConfirmations.length);
    assert.deepEqual(state.activeFederationUtxos, []);
  });

  /** Stops the node for the command line, which opens the database: only one process at a time may do so. */
  async function stopped<T>(use: () => Promise<T>): Promise<T> {
    assert.equal(await node.stop(), 0);
    const result = await use();
    node = await startNode(...NETWORK, "--data-dir", folder);
    return result;
  }
});
