import assert from "node:assert/strict";
import { COUNTER_ABI, COUNTER_CODE, TOO_MUCH } from "@cambium/test-utils/counter-contract";
import { BrowserProvider, Contract, ContractFactory, isCallException } from "ethers";
import {
  type BaseError,
  ContractFunctionRevertedError,
  createTestClient,
  custom,
  defineChain,
  publicActions,
  walletActions,
} from "viem";
import { Web3 } from "web3";
import { type DevelopmentChain, startDevelopmentChain } from "../src/development-chain.js";

/** Uses each library, with its own form of the provider, as a test suite of contracts does. */
describe("the provider of a development chain", () => {
  let chain: DevelopmentChain;
  before(async () => {
    chain = await startDevelopmentChain();
  });
  after(() => chain.stop());

  it("serves ethers", async () => {
    const provider = new BrowserProvider(chain.provider, undefined, { cacheTimeout: -1 });
    const signer = await provider.getSigner();
    assert.equal(signer.address, chain.accounts[0]!.address);
    const deployed = await new ContractFactory(COUNTER_ABI, COUNTER_CODE, signer).deploy();
    await deployed.waitForDeployment();
    const counter = new Contract(deployed.target, COUNTER_ABI, signer);
    const receipt = await (await counter.getFunction("add")(42)).wait();
    assert.equal(receipt.status, 1);
    assert.equal(await counter.getFunction("total")(), 42n);
    const events = await counter.queryFilter("Added", 0);
    assert.deepEqual(
      events.map((event) => "args" in event && event.args.total),
      [42n],
    );
    await assert.rejects(
      counter.getFunction("add")(420),
      (error) => isCallException(error) && error.reason === TOO_MUCH,
    );
    provider.destroy();
  });

  it("serves viem", async () => {
    const [account] = chain.accounts;
    const client = createTestClient({
      account: account!.address as `0x${string}`,
      chain: defineChain({
        id: 33,
        name: "dev",
        nativeCurrency: { name: "coin", symbol: "RBTC", decimals: 18 },
        rpcUrls: { default: { http: [] } },
      }),
      mode: "hardhat",
      transport: custom(chain.provider),
      pollingInterval: 10,
    })
      .extend(publicActions)
      .extend(walletActions);
    const hash = await client.deployContract({ abi: COUNTER_ABI, bytecode: COUNTER_CODE });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    const counter = { address: contractAddress!, abi: COUNTER_ABI };
    const snapshot = await client.snapshot();
    await client.writeContract({ ...counter, functionName: "add", args: [42n] });
    assert.equal(await client.readContract({ ...counter, functionName: "total" }), 42n);
    const error = await client.simulateContract({ ...counter, functionName: "add", args: [420n] }).then(
      () => assert.fail(),
      (one: BaseError) => one.walk((cause) => cause instanceof ContractFunctionRevertedError),
    );
    assert.equal((error as ContractFunctionRevertedError).reason, TOO_MUCH);
    await client.revert({ id: snapshot });
    assert.equal(await client.readContract({ ...counter, functionName: "total" }), 0n);
  });

  it("serves web3, with subscriptions", async () => {
    const web3 = new Web3(chain.provider as ConstructorParameters<typeof Web3>[0]);
    const [from] = await web3.eth.getAccounts();
    // web3 otherwise requests fees of EIP-1559.
    const legacy = { from: from!, gasPrice: "0" };
    const counter = await new web3.eth.Contract(COUNTER_ABI).deploy({ data: COUNTER_CODE }).send(legacy);
    const heads = await web3.eth.subscribe("newHeads");
    const head = new Promise<{ number?: unknown }>((resolve) => heads.on("data", resolve));
    await counter.methods.add!(42n).send(legacy);
    assert.equal(await counter.methods.total!().call(), 42n);
    assert.equal(Number((await head).number), Number(await web3.eth.getBlockNumber()));
    await heads.unsubscribe();
    await assert.rejects(async () => void (await counter.methods.add!(420n).send(legacy)));
  });
});
