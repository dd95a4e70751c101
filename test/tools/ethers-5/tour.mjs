import assert from "node:assert/strict";
import { Contract, ContractFactory, providers, utils, Wallet } from "ethers";
import { chain, methodsOf, notApplicable, REASONS, runTour } from "../tours/tour.mjs";

const { equal, deepEqual } = assert;
const { address: account, counter, transaction, block } = chain;
const COUNTER = new utils.Interface(counter.abi);
const NAME = "nick.eth";
const POLLING_INTERVAL = 50;

const provider = new providers.JsonRpcProvider(chain.url);
const socket = new providers.WebSocketProvider(chain.wsUrl);
const batching = new providers.JsonRpcBatchProvider(chain.url);
const fixed = new providers.StaticJsonRpcProvider(chain.url);
for (const each of [provider, batching, fixed]) each.pollingInterval = POLLING_INTERVAL;
const wallet = new Wallet(chain.privateKey, provider);
const nodeSigner = provider.getSigner(chain.nodeAccount);
const contract = new Contract(counter.address, counter.abi, wallet);
const factory = new ContractFactory(counter.abi, counter.code, wallet);

const callTotal = { to: counter.address, data: COUNTER.encodeFunctionData("total") };
const addition = { to: counter.address, data: COUNTER.encodeFunctionData("add", [1]) };
const payment = { to: chain.nodeAccount, value: 1 };
const totalOf = (output) => COUNTER.decodeFunctionResult("total", output)[0].toNumber();
const nonceOf = (address) => provider.send("eth_getTransactionCount", [address, "latest"]).then(Number);
const same = (a, b) => equal(a.toLowerCase(), b.toLowerCase());
const add = () => contract.add(0);

/** Subscribes with a method, pays, and returns what the listener received. */
async function notified(target, method, event, pay) {
  const received = new Promise((resolve) => target[method](event, (...values) => resolve(values)));
  await new Promise((resolve) => setTimeout(resolve, 10 * POLLING_INTERVAL));
  await (await pay()).wait();
  const values = await received;
  target.removeAllListeners(event);
  return values;
}

/** Subscribes, unsubscribes with a method, pays, and checks that no notification arrives. */
async function notNotified(target, event, unsubscribe, pay) {
  let count = 0;
  const listener = () => void count++;
  target.on(event, listener);
  unsubscribe(listener);
  await (await pay()).wait();
  await new Promise((resolve) => setTimeout(resolve, 4 * POLLING_INTERVAL));
  equal(count, 0);
}

/** Methods that all providers have in common. */
function providerMethods(provider) {
  const wallet = new Wallet(chain.privateKey, provider);
  // The library remembers the block number for a while, and so the nonces of its own signers.
  const pay = async () => wallet.sendTransaction({ ...payment, nonce: await nonceOf(account) });
  const nextBlock = (method) => async () => {
    assert((await notified(provider, method, "block", pay))[0] > block.number);
  };
  return {
    send: async () => equal(await provider.send("eth_chainId", []), "0x21"),
    perform: async () => equal(await provider.perform("getCode", { address: counter.address }), counter.runtime),
    detectNetwork: async () => equal((await provider.detectNetwork()).chainId, 33),
    getNetwork: async () => equal((await provider.getNetwork()).chainId, 33),
    listAccounts: async () => {
      assert((await provider.listAccounts()).some((address) => address.toLowerCase() === chain.nodeAccount));
    },
    getBlockNumber: async () => assert((await provider.getBlockNumber()) >= block.number),
    getGasPrice: async () => assert((await provider.getGasPrice()).gte(0)),
    getFeeData: async () => assert((await provider.getFeeData()).gasPrice.gte(0)),
    getBalance: async () => assert((await provider.getBalance(account)).gt(utils.parseEther("1"))),
    getTransactionCount: async () => equal(await provider.getTransactionCount(chain.nodeAccount, block.number), 3),
    getCode: async () => equal(await provider.getCode(counter.address), counter.runtime),
    getStorageAt: async () => equal(Number(await provider.getStorageAt(counter.address, 0, block.number)), 42),
    call: async () => equal(totalOf(await provider.call(callTotal, block.number)), 42),
    estimateGas: async () => assert((await provider.estimateGas({ from: account, ...addition })).gt(21_000)),
    sendTransaction: async () => {
      const fields = { ...payment, chainId: 33, nonce: await nonceOf(account), gasLimit: 21_000, gasPrice: 1 };
      const sent = await provider.sendTransaction(await wallet.signTransaction(fields));
      equal((await sent.wait()).status, 1);
    },
    getBlock: async () => {
      const { number, hash, parentHash, timestamp, transactions } = await provider.getBlock(block.hash);
      deepEqual([number, hash, parentHash, timestamp], [block.number, block.hash, block.parentHash, block.timestamp]);
      equal(transactions[0], transaction.hash);
    },
    getBlockWithTransactions: async () => {
      const [first, reward] = (await provider.getBlockWithTransactions(block.number)).transactions;
      deepEqual([first.hash, first.data, reward.blockHash], [transaction.hash, transaction.input, block.hash]);
    },
    getTransaction: async () => {
      const { hash, from, to, data, nonce, chainId } = await provider.getTransaction(transaction.hash);
      deepEqual([hash, data, nonce, chainId], [transaction.hash, transaction.input, transaction.nonce, 33]);
      same(from, chain.nodeAccount);
      same(to, counter.address);
    },
    getTransactionReceipt: async () => {
      const { status, gasUsed, logs, blockHash } = await provider.getTransactionReceipt(transaction.hash);
      deepEqual([status, gasUsed.toNumber(), blockHash], [1, transaction.gasUsed, block.hash]);
      equal(COUNTER.parseLog(logs[0]).args.total.toNumber(), 42);
    },
    getLogs: async () => {
      const logs = await provider.getLogs({ address: counter.address, fromBlock: 0, toBlock: block.number });
      deepEqual(
        logs.map((log) => COUNTER.parseLog(log).args.total.toNumber()),
        [5, 42],
      );
    },
    getEtherPrice: notApplicable(REASONS.offChain),
    resolveName: notApplicable(REASONS.names, () => provider.resolveName(NAME)),
    lookupAddress: notApplicable(REASONS.names, () => provider.lookupAddress(account)),
    getResolver: notApplicable(REASONS.names, () => provider.getResolver(NAME)),
    getAvatar: notApplicable(REASONS.names, () => provider.getAvatar(NAME)),
    waitForTransaction: async () => equal((await provider.waitForTransaction(transaction.hash, 1)).status, 1),
    on: async () => {
      const [seen] = await notified(provider, "on", { address: counter.address }, add);
      equal(COUNTER.parseLog(seen).name, "Added");
      await nextBlock("on")();
    },
    once: nextBlock("once"),
    addListener: nextBlock("addListener"),
    off: () => notNotified(provider, "block", (listener) => provider.off("block", listener), pay),
    removeListener: () => notNotified(provider, "block", (listener) => provider.removeListener("block", listener), pay),
    removeAllListeners: () => notNotified(provider, "block", () => provider.removeAllListeners("block"), pay),
  };
}

/** Polling methods of the library itself, which WebSocket replaces. */
function pollingMethods(provider) {
  return { ...providerMethods(provider), poll: () => provider.poll() };
}

const PROVIDER_LOCAL = [
  ...["ccipReadFetch", "emit", "getSigner", "getUncheckedSigner", "listenerCount", "listeners", "prepareRequest"],
  "resetEventsBlock",
];
const SOCKET_LOCAL = [...PROVIDER_LOCAL, "destroy", "poll"];

/** Methods that signers have in common, with a key in this process or in the node. */
function signerMethods(signer, address) {
  return {
    call: async () => equal(totalOf(await signer.call(callTotal, block.number)), 42),
    estimateGas: async () => assert((await signer.estimateGas(addition)).gt(21_000)),
    getBalance: async () => assert((await signer.getBalance()).gt(utils.parseEther("1"))),
    getTransactionCount: async () => equal(await signer.getTransactionCount(), await nonceOf(address)),
    getChainId: async () => equal(await signer.getChainId(), 33),
    getGasPrice: async () => assert((await signer.getGasPrice()).gte(0)),
    getFeeData: async () => assert((await signer.getFeeData()).gasPrice.gte(0)),
    resolveName: notApplicable(REASONS.names, () => signer.resolveName(NAME)),
    populateTransaction: async () => {
      const { chainId, nonce, gasLimit } = await signer.populateTransaction(payment);
      deepEqual([chainId, nonce, gasLimit.toNumber()], [33, await nonceOf(address), 21_000]);
    },
    sendTransaction: async () => equal((await (await signer.sendTransaction(payment)).wait()).status, 1),
  };
}

const NOTE = [{ name: "cambium" }, { Note: [{ name: "text", type: "string" }] }, { text: "hello" }];

const signerOfNodeMethods = {
  ...signerMethods(nodeSigner, chain.nodeAccount),
  getAddress: async () => same(await provider.getSigner(0).getAddress(), (await provider.listAccounts())[0]),
  sendUncheckedTransaction: async () => {
    const hash = await nodeSigner.sendUncheckedTransaction(payment);
    equal((await provider.getTransactionReceipt(hash)).status, 1);
  },
  signTransaction: notApplicable(REASONS.library, () => nodeSigner.signTransaction(payment)),
  signMessage: async () => same(utils.verifyMessage("hello", await nodeSigner.signMessage("hello")), chain.nodeAccount),
  _legacySignMessage: async () => {
    same(utils.verifyMessage("hello", await nodeSigner._legacySignMessage("hello")), chain.nodeAccount);
  },
  _signTypedData: async () => {
    same(utils.verifyTypedData(...NOTE, await nodeSigner._signTypedData(...NOTE)), chain.nodeAccount);
  },
  unlock: async () => {
    const created = await provider.send("personal_newAccount", ["password"]);
    equal(await provider.getSigner(created).unlock("password"), true);
  },
};

const contractMethods = {
  deployed: async () => equal(await contract.deployed(), contract),
  fallback: async () => {
    const sent = await contract.fallback({ data: addition.data, gasLimit: 100_000 });
    equal((await sent.wait()).status, 1);
  },
  queryFilter: async () => {
    const events = await contract.queryFilter("Added", 0, block.number);
    deepEqual(
      events.map(({ args }) => args.total.toNumber()),
      [5, 42],
    );
  },
  // The functions of the contract's interface, in each of their forms.
  functions: async () => {
    assert((await contract.estimateGas.add(1)).gt(21_000));
    await contract.callStatic.add(1);
    await assert.rejects(contract.callStatic.add(101), { code: "CALL_EXCEPTION", reason: "too much" });
    same((await contract.populateTransaction.add(1)).to, counter.address);
    equal((await (await contract.functions.add(0)).wait()).events[0].event, "Added");
    equal((await contract.total({ blockTag: block.number })).toNumber(), 42);
  },
  on: async () => assert((await notified(contract, "on", "Added", add))[0].gte(42)),
  once: async () => assert((await notified(contract, "once", "Added", add))[0].gte(42)),
  off: () => notNotified(contract, "Added", (listener) => contract.off("Added", listener), add),
  removeListener: () => notNotified(contract, "Added", (listener) => contract.removeListener("Added", listener), add),
  removeAllListeners: () => notNotified(contract, "Added", () => contract.removeAllListeners("Added"), add),
};

await runTour([
  ...Object.entries({ JsonRpcProvider: provider, StaticJsonRpcProvider: fixed, JsonRpcBatchProvider: batching }).map(
    ([group, each]) => {
      return { group, surface: methodsOf(each), local: PROVIDER_LOCAL, methods: pollingMethods(each) };
    },
  ),
  { group: "WebSocketProvider", surface: methodsOf(socket), local: SOCKET_LOCAL, methods: providerMethods(socket) },
  {
    group: "JsonRpcSigner",
    surface: methodsOf(nodeSigner).add("_legacySignMessage").add("_signTypedData"),
    local: ["checkTransaction", "connect", "connectUnchecked"],
    methods: signerOfNodeMethods,
  },
  {
    group: "Wallet",
    surface: methodsOf(wallet),
    local: ["checkTransaction", "connect", "encrypt", "getAddress", "signMessage", "signTransaction"],
    methods: signerMethods(wallet, account),
  },
  {
    group: "Contract",
    surface: methodsOf(Contract.prototype).add("functions"),
    local: ["attach", "connect", "emit", "listenerCount", "listeners"],
    methods: contractMethods,
  },
  {
    group: "ContractFactory",
    surface: methodsOf(ContractFactory.prototype),
    local: ["attach", "connect", "getDeployTransaction"],
    methods: {
      deploy: async () =>
        equal(await provider.getCode((await (await factory.deploy()).deployed()).address), counter.runtime),
    },
  },
]);
