import assert from "node:assert/strict";
import { Web3 } from "web3";
import { chain, methodsOf, notApplicable, REASONS, runTour } from "../tours/tour.mjs";

const { equal, deepEqual } = assert;
const { counter, transaction, block } = chain;
const NAME = "nick.eth";

const web3 = new Web3(chain.url);
const socket = new Web3(chain.wsUrl);
web3.defaultTransactionType = "0x0";
const account = web3.eth.accounts.wallet.add(chain.privateKey)[0];
const { eth } = web3;
const abi = JSON.parse(counter.abi);
const contract = new eth.Contract(abi, counter.address);
const watched = new socket.eth.Contract(abi, counter.address);

const callTotal = { to: counter.address, data: contract.methods.total().encodeABI() };
const payment = { from: account.address, to: chain.nodeAccount, value: 1 };
const fromNode = { from: chain.nodeAccount, to: account.address, value: 1, gas: 21_000, gasPrice: 1 };
const upToBlock = { fromBlock: 0, toBlock: block.number };
const same = (a, b) => equal(a.toLowerCase(), b.toLowerCase());
const totalsOf = (logs) => logs.map(({ data }) => Number(data));
const pay = () => eth.sendTransaction({ ...payment });

/** Subscribes, sends, and returns the first notification. */
async function notified(subscription, send) {
  const subscribed = await subscription;
  const received = new Promise((resolve, reject) => {
    subscribed.on("data", resolve);
    subscribed.on("error", reject);
  });
  await send();
  const value = await received;
  await subscribed.unsubscribe();
  return value;
}

const nodeMethods = {
  getChainId: async () => equal(await eth.getChainId(), 33n),
  getNodeInfo: async () => assert.match(await eth.getNodeInfo(), /^Cambium\//),
  getProtocolVersion: async () => assert(Number(await eth.getProtocolVersion()) > 0),
  isSyncing: async () => equal(await eth.isSyncing(), false),
  isMining: async () => equal(await eth.isMining(), true),
  getCoinbase: async () => assert.match(await eth.getCoinbase(), /^0x[0-9a-f]{40}$/i),
  getHashrate: async () => assert((await eth.getHashrate()) >= 0n),
  getHashRate: async () => assert((await eth.getHashRate()) >= 0n),
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
  getGasPrice: async () => assert((await eth.getGasPrice()) >= 0n),
  getMaxPriorityFeePerGas: async () => assert((await eth.getMaxPriorityFeePerGas()) >= 0n),
  calculateFeeData: async () => assert((await eth.calculateFeeData()).gasPrice >= 0n),
  getFeeHistory: async () => deepEqual((await eth.getFeeHistory(2, "latest", [50])).baseFeePerGas, []),
};

const stateMethods = {
  getBalance: async () => assert((await eth.getBalance(account.address)) > 10n ** 18n),
  getTransactionCount: async () => equal(await eth.getTransactionCount(chain.nodeAccount, block.number), 3n),
  getCode: async () => equal(await eth.getCode(counter.address), counter.runtime),
  getStorageAt: async () => equal(Number(await eth.getStorageAt(counter.address, 0, block.number)), 42),
  getProof: async () => {
    const { storageProof } = await eth.getProof(counter.address, [`0x${"00".repeat(32)}`], block.number);
    equal(storageProof[0].value, 42n);
  },
  call: async () => equal(Number(await eth.call(callTotal, block.number)), 42),
  createAccessList: async () => {
    const { accessList } = await eth.createAccessList({ from: account.address, ...callTotal });
    deepEqual(accessList[0]?.storageKeys, [`0x${"00".repeat(32)}`]);
  },
  estimateGas: async () => equal(await eth.estimateGas(payment), 21_000n),
};

const chainMethods = {
  getBlockNumber: async () => assert((await eth.getBlockNumber()) >= BigInt(block.number)),
  getBlock: async () => {
    const found = await eth.getBlock(block.hash, true);
    deepEqual(
      [found.number, found.parentHash, found.stateRoot],
      [BigInt(block.number), block.parentHash, block.stateRoot],
    );
    equal(found.transactions[0].hash, transaction.hash);
  },
  getBlockTransactionCount: async () => equal(await eth.getBlockTransactionCount(block.hash), 2n),
  getBlockUncleCount: async () => equal(await eth.getBlockUncleCount(block.number), 0n),
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
    deepEqual([status, Number(gasUsed), totalsOf(logs)], [1n, transaction.gasUsed, [42]]);
  },
  getPendingTransactions: async () => deepEqual(await eth.getPendingTransactions(), []),
  getPastLogs: async () => {
    deepEqual(totalsOf(await eth.getPastLogs({ address: counter.address, ...upToBlock })), [5, 42]);
  },
};

const sendingMethods = {
  sendTransaction: async () => equal((await pay()).status, 1n),
  sendSignedTransaction: async () => {
    const nonce = await eth.getTransactionCount(account.address);
    const { rawTransaction } = await account.signTransaction({
      ...payment,
      chainId: 33,
      nonce,
      gas: 21_000,
      gasPrice: 1,
    });
    equal((await eth.sendSignedTransaction(rawTransaction)).status, 1n);
  },
  sign: async () => equal((await eth.sign("0x1234", chain.nodeAccount)).length, 132),
  signTransaction: async () => {
    const { raw, tx } = await eth.signTransaction({ ...fromNode, nonce: 3 });
    same(web3.eth.accounts.recoverTransaction(raw), chain.nodeAccount);
    equal(tx.nonce, 3n);
  },
  signTypedData: async () => {
    const types = { EIP712Domain: [], Note: [{ name: "text", type: "string" }] };
    const note = { types, primaryType: "Note", domain: {}, message: { text: "hello" } };
    equal((await eth.signTypedData(chain.nodeAccount, note)).length, 132);
  },
};

const filterMethods = {
  createNewBlockFilter: async () => {
    const filter = await eth.createNewBlockFilter();
    await pay();
    equal((await eth.getFilterChanges(filter)).length, 1);
  },
  createNewPendingTransactionFilter: async () => {
    const filter = await eth.createNewPendingTransactionFilter();
    const { transactionHash } = await pay();
    deepEqual(await eth.getFilterChanges(filter), [transactionHash]);
  },
  createNewFilter: async () => {
    const filter = await eth.createNewFilter({ address: counter.address, ...upToBlock });
    deepEqual(totalsOf(await eth.getFilterLogs(filter)), [5, 42]);
  },
  getFilterChanges: async () => {
    const filter = await eth.createNewFilter({ address: counter.address });
    await contract.methods.add(0).send({ from: account.address });
    equal((await eth.getFilterChanges(filter)).length, 1);
  },
  getFilterLogs: async () => {
    const filter = await eth.createNewFilter({ address: counter.address, ...upToBlock });
    equal((await eth.getFilterLogs(filter)).length, 2);
  },
  uninstallFilter: async () => {
    const filter = await eth.createNewBlockFilter();
    deepEqual([await eth.uninstallFilter(filter), await eth.uninstallFilter(filter)], [true, false]);
  },
};

const subscriptionMethods = {
  subscribe: async () => {
    const head = await notified(socket.eth.subscribe("newHeads"), pay);
    assert(head.number > BigInt(block.number));
    equal((await notified(socket.eth.subscribe("newPendingTransactions"), pay)).length, 66);
    const log = await notified(socket.eth.subscribe("logs", { address: counter.address }), () => {
      return contract.methods.add(0).send({ from: account.address });
    });
    same(log.address, counter.address);
    const syncing = await socket.eth.subscribe("syncing");
    await syncing.unsubscribe();
  },
  clearSubscriptions: async () => {
    const { id } = await socket.eth.subscribe("newHeads");
    deepEqual(await socket.eth.clearSubscriptions(), [id]);
  },
};

const CONTEXT = [
  ...["BatchRequest", "emit", "eventNames", "extend", "getContextObject", "getMaxListeners", "link", "listenerCount"],
  ...["listeners", "off", "on", "once", "registerPlugin", "removeAllListeners", "setConfig", "setProvider"],
  ...["setMaxListenerWarningThreshold", "setRequestManagerMiddleware", "use"],
];

const PASSWORD = "password";

/** An account in the node with a password and some coins. */
async function fundedAccount() {
  const to = await eth.personal.newAccount(PASSWORD);
  await eth.sendTransaction({ ...payment, to, value: 10n ** 15n });
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
  getId: async () => equal(await web3.eth.net.getId(), 33n),
  getPeerCount: async () => equal(await web3.eth.net.getPeerCount(), 0n),
  isListening: async () => equal(typeof (await web3.eth.net.isListening()), "boolean"),
};

const contractMethods = {
  deploy: async () => {
    const deployed = await new eth.Contract(abi).deploy({ data: counter.code }).send({ from: account.address });
    equal(await eth.getCode(deployed.options.address), counter.runtime);
  },
  getPastEvents: async () => {
    const events = await contract.getPastEvents("Added", upToBlock);
    deepEqual(
      events.map(({ returnValues }) => returnValues.total),
      [5n, 42n],
    );
  },
  // The functions and events of the contract's interface, in each of their forms.
  methods: async () => {
    const add = contract.methods.add(0);
    assert((await add.estimateGas({ from: account.address })) > 21_000n);
    equal((await add.send({ from: account.address })).status, 1n);
    assert((await add.createAccessList({ from: account.address })).accessList.length > 0);
    same((await add.populateTransaction({ from: account.address })).to, counter.address);
    equal(await contract.methods.total().call({}, block.number), 42n);
    await assert.rejects(contract.methods.add(101).call(), ({ cause }) => /too much/.test(cause.message));
  },
  events: async () => {
    const event = await notified(watched.events.Added(), () => contract.methods.add(0).send({ from: account.address }));
    assert(event.returnValues.total >= 42n);
  },
};

const batchMethods = {
  execute: async () => {
    const batch = new web3.BatchRequest();
    batch.add({ method: "eth_chainId", params: [] });
    batch.add({ method: "eth_blockNumber", params: [] });
    equal((await batch.execute())[0].result, "0x21");
  },
};

const ens = Object.fromEntries(
  [...methodsOf(eth.ens)]
    .filter((name) => !CONTEXT.includes(name))
    .map((name) => [name, notApplicable(REASONS.names, () => eth.ens[name](NAME, counter.address))]),
);

await runTour([
  {
    group: "eth",
    surface: methodsOf(eth),
    local: [...CONTEXT, "Contract", "Iban", "getTransactionMiddleware", "setTransactionMiddleware"],
    methods: {
      ...nodeMethods,
      ...feeMethods,
      ...stateMethods,
      ...chainMethods,
      ...sendingMethods,
      ...filterMethods,
      ...subscriptionMethods,
    },
  },
  { group: "personal", surface: methodsOf(eth.personal), local: CONTEXT, methods: personalMethods },
  { group: "net", surface: methodsOf(eth.net), local: CONTEXT, methods: netMethods },
  { group: "ens", surface: methodsOf(eth.ens), local: CONTEXT, methods: ens },
  {
    group: "Contract",
    surface: methodsOf(eth.Contract.prototype).add("methods").add("events"),
    local: [
      ...[...CONTEXT, "clone", "contractMethodEstimateGas", "decodeMethodData", "getTransactionMiddleware"],
      ...["setTransactionMiddleware", "subscribeToContextEvents"],
    ],
    methods: contractMethods,
  },
  { group: "BatchRequest", surface: new Set(["execute"]), methods: batchMethods },
]);
