import assert from "node:assert/strict";
import Web3 from "web3";
import { chain, methodsOf, notApplicable, REASONS, runTour } from "../tours/tour.mjs";

const { equal, deepEqual } = assert;
const { counter, transaction, block } = chain;
const NAME = "nick.eth";

const web3 = new Web3(chain.url);
const socket = new Web3(chain.wsUrl);
const account = web3.eth.accounts.wallet.add(chain.privateKey);
const { eth } = web3;
const abi = JSON.parse(counter.abi);
const contract = new eth.Contract(abi, counter.address);
const watched = new socket.eth.Contract(abi, counter.address);

const callTotal = { to: counter.address, data: contract.methods.total().encodeABI() };
const payment = { from: account.address, to: chain.nodeAccount, value: 1, gas: 21_000 };
const fromNode = { from: chain.nodeAccount, to: account.address, value: 1, gas: 21_000, gasPrice: 1 };
const upToBlock = { fromBlock: 0, toBlock: block.number };
const same = (a, b) => equal(a.toLowerCase(), b.toLowerCase());
const totalsOf = (logs) => logs.map(({ data }) => Number(data));
const pay = () => eth.sendTransaction({ ...payment });

/** Subscribes, sends, and returns the first notification. */
async function notified(subscription, send) {
  await new Promise((resolve) => subscription.once("connected", resolve));
  const received = new Promise((resolve, reject) => {
    subscription.on("data", resolve);
    subscription.on("error", reject);
  });
  await send();
  const value = await received;
  await subscription.unsubscribe();
  return value;
}

const nodeMethods = {
  getChainId: async () => equal(await eth.getChainId(), 33),
  getNodeInfo: async () => assert.match(await eth.getNodeInfo(), /^Cambium\//),
  getProtocolVersion: async () => assert(Number(await eth.getProtocolVersion()) > 0),
  isSyncing: async () => equal(await eth.isSyncing(), false),
  isMining: async () => equal(await eth.isMining(), true),
  getCoinbase: async () => assert.match(await eth.getCoinbase(), /^0x[0-9a-f]{40}$/i),
  getHashrate: async () => assert((await eth.getHashrate()) >= 0),
  getAccounts: async () => {
    assert((await eth.getAccounts()).some((address) => address.toLowerCase() === chain.nodeAccount));
  },
  requestAccounts: async () => assert((await eth.requestAccounts()).length > 0),
  getWork: async () => equal((await eth.getWork()).length, 3),
  submitWork: async () => {
    const [hash] = await eth.getWork();
    equal(await eth.submitWork("0x0000000000000001", hash, `0x${"00".repeat(32)}`), false);
  },
};

const feeMethods = {
  getGasPrice: async () => assert(Number(await eth.getGasPrice()) >= 0),
  getFeeHistory: async () => deepEqual((await eth.getFeeHistory(2, "latest", [50])).baseFeePerGas, []),
};

const stateMethods = {
  getBalance: async () => assert(BigInt(await eth.getBalance(account.address)) > 10n ** 18n),
  getTransactionCount: async () => equal(await eth.getTransactionCount(chain.nodeAccount, block.number), 3),
  getCode: async () => equal(await eth.getCode(counter.address), counter.runtime),
  getStorageAt: async () => equal(Number(await eth.getStorageAt(counter.address, 0, block.number)), 42),
  getProof: async () => {
    const { storageProof } = await eth.getProof(counter.address, [`0x${"00".repeat(32)}`], block.number);
    equal(Number(storageProof[0].value), 42);
  },
  call: async () => equal(Number(await eth.call(callTotal, block.number)), 42),
  createAccessList: async () => {
    const { accessList } = await eth.createAccessList({ from: account.address, ...callTotal });
    deepEqual(accessList[0]?.storageKeys, [`0x${"00".repeat(32)}`]);
  },
  estimateGas: async () => equal(await eth.estimateGas(payment), 21_000),
};

const chainMethods = {
  getBlockNumber: async () => assert((await eth.getBlockNumber()) >= block.number),
  getBlock: async () => {
    const found = await eth.getBlock(block.hash, true);
    deepEqual([found.number, found.parentHash, found.stateRoot], [block.number, block.parentHash, block.stateRoot]);
    equal(found.transactions[0].hash, transaction.hash);
  },
  getBlockTransactionCount: async () => equal(await eth.getBlockTransactionCount(block.hash), 2),
  getBlockUncleCount: async () => equal(await eth.getBlockUncleCount(block.number), 0),
  getUncle: async () => equal(await eth.getUncle(block.hash, 0), null),
  getTransaction: async () => {
    const { from, to, input, nonce, blockHash } = await eth.getTransaction(transaction.hash);
    deepEqual([input, Number(nonce), blockHash], [transaction.input, transaction.nonce, block.hash]);
    same(from, chain.nodeAccount);
    same(to, counter.address);
  },
  getTransactionFromBlock: async () => equal((await eth.getTransactionFromBlock(block.hash, 0)).hash, transaction.hash),
  getTransactionReceipt: async () => {
    const { status, gasUsed, logs } = await eth.getTransactionReceipt(transaction.hash);
    deepEqual([status, Number(gasUsed), totalsOf(logs)], [true, transaction.gasUsed, [42]]);
  },
  getPendingTransactions: async () => deepEqual(await eth.getPendingTransactions(), []),
  getPastLogs: async () => {
    deepEqual(totalsOf(await eth.getPastLogs({ address: counter.address, ...upToBlock })), [5, 42]);
  },
};

const sendingMethods = {
  sendTransaction: async () => equal((await pay()).status, true),
  sendSignedTransaction: async () => {
    const nonce = await eth.getTransactionCount(account.address);
    const { rawTransaction } = await account.signTransaction({
      ...payment,
      chainId: 33,
      nonce,
      gas: 21_000,
      gasPrice: 1,
    });
    equal((await eth.sendSignedTransaction(rawTransaction)).status, true);
  },
  sign: async () => equal((await eth.sign("0x1234", chain.nodeAccount)).length, 132),
  signTransaction: async () => {
    const { raw, tx } = await eth.signTransaction({ ...fromNode, nonce: 3 });
    same(web3.eth.accounts.recoverTransaction(raw), chain.nodeAccount);
    equal(Number(tx.nonce), 3);
  },
};

const subscriptionMethods = {
  subscribe: async () => {
    const head = await notified(socket.eth.subscribe("newHeads"), pay);
    assert(head.number > block.number);
    equal((await notified(socket.eth.subscribe("newPendingTransactions"), pay)).length, 66);
    const log = await notified(socket.eth.subscribe("logs", { address: counter.address }), () => {
      return contract.methods.add(0).send({ from: account.address, gas: 300_000 });
    });
    same(log.address, counter.address);
  },
  clearSubscriptions: async () => {
    const other = new Web3(chain.wsUrl);
    const subscription = other.eth.subscribe("newHeads");
    await new Promise((resolve) => subscription.once("connected", resolve));
    equal(await other.eth.clearSubscriptions(), true);
  },
};

const CONTEXT = ["BatchRequest", "extend", "setProvider", "setRequestManager"];

const PASSWORD = "password";

/** An account in the node with a password and some coins. */
async function fundedAccount() {
  const to = await eth.personal.newAccount(PASSWORD);
  await eth.sendTransaction({ ...payment, to, value: 1e15 });
  return to;
}

const personalMethods = {
  getAccounts: async () => {
    assert((await eth.personal.getAccounts()).some((address) => address.toLowerCase() === chain.nodeAccount));
  },
  newAccount: async () => assert.match(await eth.personal.newAccount(PASSWORD), /^0x[0-9a-f]{40}$/i),
  // The node takes milliseconds as hex text.
  unlockAccount: async () => {
    equal(await eth.personal.unlockAccount(await eth.personal.newAccount(PASSWORD), PASSWORD, "0xea60"), true);
  },
  lockAccount: async () => equal(await eth.personal.lockAccount(await eth.personal.newAccount(PASSWORD)), true),
  importRawKey: async () => {
    const { address, privateKey } = eth.accounts.create();
    same(await eth.personal.importRawKey(privateKey.slice(2), PASSWORD), address);
  },
  sendTransaction: async () => {
    const from = await fundedAccount();
    equal((await eth.personal.sendTransaction({ ...fromNode, from }, PASSWORD)).length, 66);
  },
  signTransaction: notApplicable(REASONS.personal, () => eth.personal.signTransaction({ ...fromNode }, "")),
  sign: async () => {
    const signer = await eth.personal.newAccount(PASSWORD);
    same(eth.accounts.recover("hello", await eth.personal.sign("hello", signer, PASSWORD)), signer);
  },
  ecRecover: notApplicable(REASONS.personal, async () => {
    return eth.personal.ecRecover("0x1234", (await account.sign("0x1234")).signature);
  }),
};

const netMethods = {
  getId: async () => equal(await web3.eth.net.getId(), 33),
  getPeerCount: async () => equal(await web3.eth.net.getPeerCount(), 0),
  getNetworkType: async () => equal(await web3.eth.net.getNetworkType(), "private"),
  isListening: async () => equal(typeof (await web3.eth.net.isListening()), "boolean"),
};

const contractMethods = {
  deploy: async () => {
    const deployed = await new eth.Contract(abi)
      .deploy({ data: counter.code })
      .send({ from: account.address, gas: 300_000 });
    equal(await eth.getCode(deployed.options.address), counter.runtime);
  },
  getPastEvents: async () => {
    const events = await contract.getPastEvents("Added", upToBlock);
    deepEqual(
      events.map(({ returnValues }) => returnValues.total),
      ["5", "42"],
    );
  },
  // The functions and events of the contract's interface, in each of their forms.
  methods: async () => {
    const add = contract.methods.add(0);
    assert((await add.estimateGas({ from: account.address })) > 21_000);
    equal((await add.send({ from: account.address, gas: 300_000 })).status, true);
    assert((await add.createAccessList({ from: account.address })).accessList.length > 0);
    equal(await contract.methods.total().call({}, block.number), "42");
    await assert.rejects(contract.methods.add(101).call(), /too much/);
  },
  events: async () => {
    const event = await notified(watched.events.Added(), () =>
      contract.methods.add(0).send({ from: account.address, gas: 300_000 }),
    );
    assert(Number(event.returnValues.total) >= 42);
  },
};

const batchMethods = {
  execute: async () => {
    const batch = new web3.BatchRequest();
    const number = new Promise((resolve, reject) => {
      batch.add(eth.getBlockNumber.request((error, value) => (error ? reject(error) : resolve(value))));
    });
    batch.execute();
    assert((await number) >= block.number);
  },
};

const ens = Object.fromEntries(
  [...methodsOf(eth.ens)]
    .filter((name) => !CONTEXT.includes(name))
    .map((name) => [name, notApplicable(REASONS.names, () => eth.ens[name](NAME, counter.address))]),
);

// Methods of Whisper, which no node serves any longer.
const shh = Object.fromEntries(
  [...methodsOf(web3.shh)]
    .filter((name) => !CONTEXT.includes(name))
    .map((name) => [name, notApplicable(REASONS.offChain)]),
);

await runTour([
  {
    group: "eth",
    surface: methodsOf(eth),
    local: [...CONTEXT, "Contract", "Iban", "removeSubscriptionById"],
    methods: {
      ...nodeMethods,
      ...feeMethods,
      ...stateMethods,
      ...chainMethods,
      ...sendingMethods,
      ...subscriptionMethods,
    },
  },
  { group: "personal", surface: methodsOf(eth.personal), local: CONTEXT, methods: personalMethods },
  { group: "net", surface: methodsOf(eth.net), local: CONTEXT, methods: netMethods },
  { group: "shh", surface: methodsOf(web3.shh), local: CONTEXT, methods: shh },
  { group: "ens", surface: methodsOf(eth.ens), local: CONTEXT, methods: ens },
  {
    group: "Contract",
    surface: methodsOf(eth.Contract.prototype).add("methods").add("events"),
    local: ["clone", "once"],
    methods: contractMethods,
  },
  { group: "BatchRequest", surface: new Set(["execute"]), methods: batchMethods },
]);
