import assert from "node:assert/strict";
import {
  Contract,
  ContractFactory,
  Interface,
  JsonRpcProvider,
  parseEther,
  Transaction,
  verifyMessage,
  verifyTypedData,
  Wallet,
  WebSocketProvider,
} from "ethers";
import { chain, methodsOf, notApplicable, REASONS, runTour } from "../tours/tour.mjs";

const { equal, deepEqual } = assert;
const { address: account, counter, transaction, block } = chain;
const COUNTER = new Interface(counter.abi);
const NAME = "nick.eth";

const options = { cacheTimeout: -1, pollingInterval: 50 };
const provider = new JsonRpcProvider(chain.url, undefined, options);
const socket = new WebSocketProvider(chain.wsUrl, undefined, options);
const wallet = new Wallet(chain.privateKey, provider);
const nodeSigner = await provider.getSigner(chain.nodeAccount);
const contract = new Contract(counter.address, counter.abi, wallet);
const add = () => contract.add(0);
const factory = new ContractFactory(counter.abi, counter.code, wallet);

const callTotal = { to: counter.address, data: COUNTER.encodeFunctionData("total") };
const addition = { to: counter.address, data: COUNTER.encodeFunctionData("add", [1]) };
const payment = { to: chain.nodeAccount, value: 1n };
const totalOf = (output) => COUNTER.decodeFunctionResult("total", output)[0];
const nonceOf = (address) => provider.send("eth_getTransactionCount", [address, "latest"]).then(Number);
const same = (a, b) => equal(a.toLowerCase(), b.toLowerCase());

/** Subscribes with a method, pays, and returns what the listener received. */
async function notified(target, method, event, pay = () => wallet.sendTransaction(payment)) {
  const received = new Promise((resolve) => target[method](event, (...values) => resolve(values)));
  await target.listenerCount(event);
  if (target === socket) await socket.getBlockNumber();
  else await new Promise((resolve) => setTimeout(resolve, 10 * options.pollingInterval));
  await (await pay()).wait();
  const values = await received;
  await target.removeAllListeners(event);
  return values;
}

/** Subscribes, unsubscribes with a method, pays, and checks that no notification arrives. */
async function notNotified(target, event, unsubscribe, pay = () => wallet.sendTransaction(payment)) {
  let count = 0;
  const listener = () => void count++;
  await target.on(event, listener);
  await unsubscribe(listener);
  await (await pay()).wait();
  await new Promise((resolve) => setTimeout(resolve, 4 * options.pollingInterval));
  equal(count, 0);
}

/** Methods that providers over HTTP and WebSocket have in common. */
function providerMethods(provider) {
  const wallet = new Wallet(chain.privateKey, provider);
  const pay = () => wallet.sendTransaction(payment);
  return {
    send: async () => equal(await provider.send("eth_chainId", []), "0x21"),
    listAccounts: async () => {
      const accounts = (await provider.listAccounts()).map(({ address }) => address.toLowerCase());
      assert(accounts.includes(chain.nodeAccount));
    },
    getSigner: async () => same((await provider.getSigner(chain.nodeAccount)).address, chain.nodeAccount),
    getNetwork: async () => equal((await provider.getNetwork()).chainId, 33n),
    getBlockNumber: async () => assert((await provider.getBlockNumber()) >= block.number),
    getFeeData: async () => {
      const { gasPrice } = await provider.getFeeData();
      assert(gasPrice !== null && gasPrice >= 0n);
    },
    getBalance: async () => assert((await provider.getBalance(account)) > parseEther("1")),
    getTransactionCount: async () => equal(await provider.getTransactionCount(chain.nodeAccount, block.number), 3),
    getCode: async () => equal(await provider.getCode(counter.address), counter.runtime),
    getStorage: async () => equal(BigInt(await provider.getStorage(counter.address, 0, block.number)), 42n),
    call: async () => equal(totalOf(await provider.call({ ...callTotal, blockTag: block.number })), 42n),
    estimateGas: async () => assert((await provider.estimateGas({ from: account, ...addition })) > 21_000n),
    broadcastTransaction: async () => {
      const nonce = await nonceOf(account);
      const fields = { ...payment, chainId: 33, type: 0, nonce, gasLimit: 21_000, gasPrice: 1 };
      const sent = await provider.broadcastTransaction(await wallet.signTransaction(fields));
      equal((await sent.wait()).status, 1);
    },
    getBlock: async () => {
      const { number, hash, parentHash, timestamp, transactions } = await provider.getBlock(block.hash);
      deepEqual([number, hash, parentHash, timestamp], [block.number, block.hash, block.parentHash, block.timestamp]);
      equal(transactions[0], transaction.hash);
      equal((await provider.getBlock(block.number, true)).prefetchedTransactions[0].hash, transaction.hash);
    },
    getTransaction: async () => {
      const { hash, from, to, data, nonce, chainId } = await provider.getTransaction(transaction.hash);
      deepEqual([hash, data, nonce, chainId], [transaction.hash, transaction.input, transaction.nonce, 33n]);
      same(from, chain.nodeAccount);
      same(to, counter.address);
    },
    getTransactionReceipt: async () => {
      const { status, gasUsed, logs, blockHash } = await provider.getTransactionReceipt(transaction.hash);
      deepEqual([status, gasUsed, blockHash], [1, BigInt(transaction.gasUsed), block.hash]);
      equal(COUNTER.parseLog(logs[0]).args.total, 42n);
    },
    getTransactionResult: notApplicable(REASONS.library, () => provider.getTransactionResult(transaction.hash)),
    getLogs: async () => {
      const logs = await provider.getLogs({ address: counter.address, fromBlock: 0, toBlock: block.number });
      deepEqual(
        logs.map((log) => COUNTER.parseLog(log).args.total),
        [5n, 42n],
      );
    },
    resolveName: notApplicable(REASONS.names, () => provider.resolveName(NAME)),
    lookupAddress: notApplicable(REASONS.names, () => provider.lookupAddress(account)),
    getResolver: notApplicable(REASONS.names, () => provider.getResolver(NAME)),
    getAvatar: notApplicable(REASONS.names, () => provider.getAvatar(NAME)),
    waitForTransaction: async () => equal((await provider.waitForTransaction(transaction.hash, 1)).status, 1),
    waitForBlock: notApplicable(REASONS.library, () => provider.waitForBlock("latest")),
    on: async () => {
      const log = { address: counter.address };
      const [seen] = await notified(provider, "on", log, add);
      equal(COUNTER.parseLog(seen).name, "Added");
      assert((await notified(provider, "on", "block", pay))[0] > block.number);
    },
    once: async () => equal(typeof (await notified(provider, "once", "pending", pay))[0], "string"),
    addListener: async () => assert((await notified(provider, "addListener", "block", pay))[0] > block.number),
    off: () => notNotified(provider, "block", (listener) => provider.off("block", listener), pay),
    removeListener: () => notNotified(provider, "block", (listener) => provider.removeListener("block", listener), pay),
    removeAllListeners: () => notNotified(provider, "block", () => provider.removeAllListeners("block"), pay),
  };
}

const PROVIDER_LOCAL = [
  ...["attachPlugin", "ccipReadFetch", "destroy", "emit", "getPlugin", "getRpcError", "getRpcRequest"],
  ...["getRpcTransaction", "listenerCount", "listeners", "pause", "resume"],
];

/** Methods that signers have in common, with a key in this process or in the node. */
function signerMethods(signer, address) {
  return {
    call: async () => equal(totalOf(await signer.call({ ...callTotal, blockTag: block.number })), 42n),
    estimateGas: async () => assert((await signer.estimateGas(addition)) > 21_000n),
    getNonce: async () => equal(await signer.getNonce(), await nonceOf(address)),
    populateAuthorization: async () => {
      const { chainId, nonce } = await signer.populateAuthorization({ address: counter.address });
      deepEqual([Number(chainId), Number(nonce)], [33, await nonceOf(address)]);
    },
    populateCall: async () => same((await signer.populateCall(callTotal)).to, counter.address),
    resolveName: notApplicable(REASONS.names, () => signer.resolveName(NAME)),
    sendTransaction: async () => equal((await (await signer.sendTransaction(payment)).wait()).status, 1),
  };
}

const NOTE = [{ name: "cambium" }, { Note: [{ name: "text", type: "string" }] }, { text: "hello" }];

const signerOfNodeMethods = {
  ...signerMethods(nodeSigner, chain.nodeAccount),
  populateTransaction: async () => same((await nodeSigner.populateTransaction(callTotal)).to, counter.address),
  authorize: notApplicable(REASONS.delegation, () => nodeSigner.authorize({ address: counter.address })),
  sendUncheckedTransaction: async () => {
    const hash = await nodeSigner.sendUncheckedTransaction(payment);
    equal((await provider.getTransactionReceipt(hash)).status, 1);
  },
  signTransaction: notApplicable(REASONS.signed, async () => {
    const nonce = await nonceOf(chain.nodeAccount);
    const signed = await nodeSigner.signTransaction({ ...payment, nonce, gasLimit: 21_000, gasPrice: 1 });
    same(Transaction.from(signed).from, chain.nodeAccount);
  }),
  signMessage: async () => same(verifyMessage("hello", await nodeSigner.signMessage("hello")), chain.nodeAccount),
  _legacySignMessage: async () => {
    same(verifyMessage("hello", await nodeSigner._legacySignMessage("hello")), chain.nodeAccount);
  },
  signTypedData: async () => {
    same(verifyTypedData(...NOTE, await nodeSigner.signTypedData(...NOTE)), chain.nodeAccount);
  },
  unlock: async () => {
    const created = await provider.send("personal_newAccount", ["password"]);
    equal(await (await provider.getSigner(created)).unlock("password"), true);
  },
};

const contractMethods = {
  getDeployedCode: async () => equal(await contract.getDeployedCode(), counter.runtime),
  waitForDeployment: async () => equal(await contract.waitForDeployment(), contract),
  queryTransaction: notApplicable(REASONS.library, () => contract.queryTransaction(transaction.hash)),
  queryFilter: async () => {
    const events = await contract.queryFilter("Added", 0, block.number);
    deepEqual(
      events.map(({ args }) => args.total),
      [5n, 42n],
    );
  },
  getFunction: async () => {
    const add = contract.getFunction("add");
    await add.staticCall(1);
    assert((await add.estimateGas(1)) > 21_000n);
    equal((await (await add.send(0)).wait()).status, 1);
    same((await add.populateTransaction(1)).to, counter.address);
    equal(await contract.getFunction("total").staticCall({ blockTag: block.number }), 42n);
  },
  on: async () => equal((await notified(contract, "on", "Added", add))[0], 42n),
  once: async () => equal((await notified(contract, "once", "Added", add))[0], 42n),
  addListener: async () => equal((await notified(contract, "addListener", "Added", add))[0], 42n),
  off: () => notNotified(contract, "Added", (listener) => contract.off("Added", listener), add),
  removeListener: () => notNotified(contract, "Added", (listener) => contract.removeListener("Added", listener), add),
  removeAllListeners: () => notNotified(contract, "Added", () => contract.removeAllListeners("Added"), add),
};

await runTour([
  {
    group: "JsonRpcProvider",
    surface: methodsOf(provider),
    local: PROVIDER_LOCAL,
    methods: providerMethods(provider),
  },
  { group: "WebSocketProvider", surface: methodsOf(socket), local: PROVIDER_LOCAL, methods: providerMethods(socket) },
  {
    group: "JsonRpcSigner",
    surface: methodsOf(nodeSigner).add("_legacySignMessage"),
    local: ["connect", "getAddress"],
    methods: signerOfNodeMethods,
  },
  {
    group: "Wallet",
    surface: methodsOf(wallet),
    local: [
      ...["authorize", "authorizeSync", "connect", "encrypt", "encryptSync", "getAddress"],
      ...["signMessage", "signMessageSync", "signTransaction", "signTypedData"],
    ],
    methods: {
      ...signerMethods(wallet, account),
      populateTransaction: async () => {
        const { chainId, nonce, gasLimit, type } = await wallet.populateTransaction(payment);
        deepEqual([Number(chainId), nonce, gasLimit, type], [33, await nonceOf(account), 21_000n, 0]);
      },
    },
  },
  {
    group: "Contract",
    surface: methodsOf(Contract.prototype),
    local: [
      "attach",
      "connect",
      "deploymentTransaction",
      "emit",
      "getAddress",
      "getEvent",
      "listenerCount",
      "listeners",
    ],
    methods: contractMethods,
  },
  {
    group: "ContractFactory",
    surface: methodsOf(factory),
    local: ["attach", "connect", "getDeployTransaction"],
    methods: {
      deploy: async () =>
        equal(await (await (await factory.deploy()).waitForDeployment()).getDeployedCode(), counter.runtime),
    },
  },
]);
