import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { type Json, RpcClient } from "@cambium/test-utils/rpc-client";
import { type BaseContract, ContractFactory, getBytes, JsonRpcProvider, toBeHex, Wallet } from "ethers";
import { freePort } from "../suites/chains.js";
import { inEachMode, type ProgramChain } from "./chains.js";
import { installPackages, projectOf, StartedProgram } from "./program.js";

/**
 * Account that has signed the creation of a contract that creates others at the same address on each chain. The bundler
 * sends that transaction.
 */
const DEPLOYER_SIGNER = "0x3fab184622dc19b6109349b94811493bf2a45362";
/** Fees above zero, because the bundler refuses a price of zero, the initial one of this chain. */
const FEES = { maxFeePerGas: "0x3b9aca00", maxPriorityFeePerGas: "0x3b9aca00" };

/** Gas limit of creations: an estimate for a contract that creates others may exceed the maximum of a transaction. */
const CREATION = { type: 0, gasLimit: 5_000_000 };

/** Tests Alto, a bundler, with all rules of ERC-4337: it traces operations with a JavaScript tracer. */
describe("the bundler Alto in safe mode", function () {
  this.timeout(600_000);
  before(() => installPackages("bundler"));

  const visit = async (chain: ProgramChain) => {
    const parts = await deployContracts(chain);
    const { counter, factory, owner } = parts;
    await withAlto(chain, parts, async (bundler) => {
      const account = await createdAccount(parts, 0);
      const add = (amount: number) => [counter.target, 0, counter.interface.encodeFunctionData("add", [amount])];
      await operate(parts, bundler, account, add(5));
      assert.equal(await counter.getFunction("total")(), 5n);
      const creation = factory.interface.encodeFunctionData("createAccount", [owner.address, 1]);
      const created = await factory.getFunction("getAddress(address,uint256)")(owner.address, 1);
      await operate(parts, bundler, created, add(7), { factory: factory.target, factoryData: creation });
      assert.equal(await counter.getFunction("total")(), 12n);
    });
  };
  const rpcConfig = join(projectOf("bundler"), "rpc.json");
  inEachMode("executes an operation of an account that exists, and creates one", visit, { rpcConfig });
});

interface Parts {
  owner: Wallet;
  entryPoint: BaseContract;
  factory: BaseContract;
  counter: BaseContract;
}

function artifact(name: string): { abi: Json; bytecode: string } {
  const path = join(projectOf("bundler"), "node_modules/@account-abstraction/contracts/artifacts", `${name}.json`);
  return JSON.parse(readFileSync(path, "utf8"));
}

async function deployContracts({ url, keys }: ProgramChain): Promise<Parts> {
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, polling: true, pollingInterval: 100 });
  const owner = new Wallet(keys[0]!, provider);
  const deploy = async ({ abi, bytecode }: { abi: Json; bytecode: string }, ...args: unknown[]) => {
    const contract = await new ContractFactory(abi, bytecode, owner).deploy(...args, CREATION);
    await contract.waitForDeployment();
    return contract;
  };
  await (await owner.sendTransaction({ type: 0, to: DEPLOYER_SIGNER, value: 10n ** 16n })).wait();
  const entryPoint = await deploy(artifact("EntryPoint"));
  const factory = await deploy(artifact("SimpleAccountFactory"), entryPoint.target);
  const counter = await deploy({ abi: COUNTER_ABI, bytecode: COUNTER_CODE });
  return { owner, entryPoint, factory, counter };
}

async function createdAccount({ factory, owner }: Parts, salt: number): Promise<string> {
  await (await factory.getFunction("createAccount")(owner.address, salt, { type: 0 })).wait();
  return factory.getFunction("getAddress(address,uint256)")(owner.address, salt);
}

/** Sends an operation of an account through the bundler, and waits until it is in a block. */
async function operate(parts: Parts, bundler: Bundler, sender: string, call: unknown[], creation: object = {}) {
  const { entryPoint, owner } = parts;
  await (await entryPoint.getFunction("depositTo")(sender, { type: 0, value: 10n ** 17n })).wait();
  const account = new ContractFactory(artifact("SimpleAccount").abi, "0x").interface;
  const request = {
    ...{ sender, nonce: toBeHex(await entryPoint.getFunction("getNonce")(sender, 0)), ...creation },
    ...{ callData: account.encodeFunctionData("execute", call), ...FEES },
    ...{ callGasLimit: "0x0", verificationGasLimit: "0x0", preVerificationGas: "0x0" },
    signature: await owner.signMessage("of the same form"),
  };
  const gas = await bundler.ask("eth_estimateUserOperationGas", request, entryPoint.target);
  const operation = { ...request, ...gas };
  delete operation.paymasterVerificationGasLimit;
  delete operation.paymasterPostOpGasLimit;
  const hash = await entryPoint.getFunction("getUserOpHash")(packed(operation));
  const signature = await owner.signMessage(getBytes(hash));
  assert.equal(await bundler.ask("eth_sendUserOperation", { ...operation, signature }, entryPoint.target), hash);
  let receipt: Json = null;
  await bundler.program.until(async () => {
    receipt = await bundler.ask("eth_getUserOperationReceipt", hash);
    return receipt !== null;
  });
  assert.equal(receipt.success, true);
}

/** Packs an operation for the entry point. */
function packed(operation: Json) {
  const half = (quantity: string) => toBeHex(quantity, 16).slice(2);
  return {
    sender: operation.sender,
    nonce: operation.nonce,
    initCode: operation.factory === undefined ? "0x" : operation.factory + operation.factoryData.slice(2),
    callData: operation.callData,
    accountGasLimits: `0x${half(operation.verificationGasLimit)}${half(operation.callGasLimit)}`,
    preVerificationGas: operation.preVerificationGas,
    gasFees: `0x${half(operation.maxPriorityFeePerGas)}${half(operation.maxFeePerGas)}`,
    paymasterAndData: "0x",
    signature: operation.signature,
  };
}

interface Bundler {
  program: StartedProgram;
  ask(method: string, ...params: unknown[]): Promise<Json>;
}

async function withAlto({ url, keys }: ProgramChain, { entryPoint }: Parts, use: (bundler: Bundler) => Promise<void>) {
  const port = await freePort();
  const flags = {
    entrypoints: `${entryPoint.target}`,
    ...{ "executor-private-keys": keys[1]!, "utility-private-key": keys[2]! },
    ...{ "rpc-url": url, port: `${port}`, "safe-mode": "true", "legacy-transactions": "true" },
    // The gas of the operation and its checks together must fit in the gas of a call.
    ...{ "simulation-call-gas-limit": "2000000", "simulation-verification-gas-limit": "2000000" },
    ...{ "min-entity-stake": "1", "min-entity-unstake-delay": "1", "log-level": "warn" },
  };
  const words = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  const program = StartedProgram.start(projectOf("bundler"), ["node_modules/.bin/alto", ...words], {});
  const rpc = new RpcClient(`http://127.0.0.1:${port}`, false);
  try {
    await program.until(() =>
      rpc.call("eth_chainId").then(
        () => true,
        () => false,
      ),
    );
    await use({ program, ask: (method, ...params) => rpc.call(method, ...params) });
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${program.output.slice(-3000)}`, { cause: error });
  } finally {
    await program.stop();
  }
}
