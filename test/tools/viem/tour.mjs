import assert from "node:assert/strict";
import * as viem from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { chain, methodsOf, notApplicable, REASONS, runTour } from "../tours/tour.mjs";
import { testMethods } from "./test-client.mjs";

const { equal, deepEqual } = assert;
const { counter, transaction, block } = chain;
const NAME = "nick.eth";
const abi = JSON.parse(counter.abi);
const at = { abi, address: counter.address };

const nativeCurrency = { name: "coin", symbol: "COIN", decimals: 18 };
const rpcUrls = { default: { http: [chain.url], webSocket: [chain.wsUrl] } };
const local = viem.defineChain({ id: chain.chainId, name: "local", nativeCurrency, rpcUrls });
const pollingInterval = 50;
const account = privateKeyToAccount(chain.privateKey);
const settings = { chain: local, transport: viem.http(), pollingInterval };
const client = viem.createPublicClient(settings);
const socket = viem.createPublicClient({ ...settings, transport: viem.webSocket() });
const wallet = viem.createWalletClient({ ...settings, account });
const nodeWallet = viem.createWalletClient({ ...settings, account: chain.nodeAccount });

const callTotal = { to: counter.address, data: viem.encodeFunctionData({ abi, functionName: "total" }) };
const addition = (amount) => ({ ...at, functionName: "add", args: [amount], account });
const payment = { to: chain.nodeAccount, value: 1n };
const totalOf = (data) => viem.decodeFunctionResult({ abi, functionName: "total", data });
const totalsOf = (logs) => viem.parseEventLogs({ abi, logs }).map(({ args }) => args.total);
const nonceOf = (address) => client.getTransactionCount({ address });
const pause = () => new Promise((resolve) => setTimeout(resolve, 10 * pollingInterval));
const upToBlock = { fromBlock: 0n, toBlock: BigInt(block.number) };

async function mined(sent) {
  equal((await client.waitForTransactionReceipt({ hash: await sent })).status, "success");
}

async function signedPayment() {
  const nonce = await nonceOf(account.address);
  return account.signTransaction({ ...payment, chainId: 33, type: "legacy", nonce, gas: 21_000n, gasPrice: 1n });
}

/** Deploys a contract that answers every call with the same bytes. */
async function deployConstant(output) {
  const size = viem.size(output).toString(16).padStart(4, "0");
  // PUSH2 size, PUSH1 offset, PUSH1 0, CODECOPY, PUSH2 size, PUSH1 0, RETURN
  const copy = (length, offset) => `61${length}60${offset}60003961${length}6000f3`;
  const runtime = copy(size, "0e") + output.slice(2);
  const length = (runtime.length / 2).toString(16).padStart(4, "0");
  const hash = await wallet.deployContract({ abi: [], bytecode: `0x${copy(length, "0e")}${runtime}` });
  return (await client.waitForTransactionReceipt({ hash })).contractAddress;
}

/** Watches, sends a transaction, and returns the first notification. */
async function watched(watch, send = () => wallet.sendTransaction(payment)) {
  let stop;
  const received = new Promise((resolve, reject) => {
    stop = watch(resolve, reject);
  });
  await pause();
  await mined(send());
  try {
    return await received;
  } finally {
    stop();
  }
}

const sendAddition = () => wallet.writeContract(addition(0n));

function watchMethods(client) {
  return {
    watchBlockNumber: async () => {
      const number = await watched((onBlockNumber, onError) => client.watchBlockNumber({ onBlockNumber, onError }));
      assert(number > block.number);
    },
    watchBlocks: async () => {
      const head = await watched((onBlock, onError) => client.watchBlocks({ onBlock, onError }));
      equal(viem.size(head.hash), 32);
    },
    watchContractEvent: async () => {
      const watch = (onLogs, onError) => client.watchContractEvent({ ...at, eventName: "Added", onLogs, onError });
      const [{ args }] = await watched(watch, sendAddition);
      assert(args.total >= 42n);
    },
    watchEvent: async () => {
      const watch = (onLogs, onError) => client.watchEvent({ address: counter.address, onLogs, onError });
      equal((await watched(watch, sendAddition))[0].address, counter.address);
    },
    watchPendingTransactions: async () => {
      const watch = (onTransactions, onError) => client.watchPendingTransactions({ onTransactions, onError });
      equal(viem.size((await watched(watch))[0]), 32);
    },
  };
}

const filterMethods = {
  createBlockFilter: async () => {
    const filter = await client.createBlockFilter();
    await mined(wallet.sendTransaction(payment));
    equal((await client.getFilterChanges({ filter })).length, 1);
  },
  createPendingTransactionFilter: async () => {
    const filter = await client.createPendingTransactionFilter();
    const hash = await wallet.sendTransaction(payment);
    deepEqual(await client.getFilterChanges({ filter }), [hash]);
  },
  createEventFilter: async () => {
    const filter = await client.createEventFilter({ address: counter.address, ...upToBlock });
    deepEqual(totalsOf(await client.getFilterLogs({ filter })), [5n, 42n]);
  },
  createContractEventFilter: async () => {
    const filter = await client.createContractEventFilter({ ...at, eventName: "Added", ...upToBlock });
    deepEqual(totalsOf(await client.getFilterLogs({ filter })), [5n, 42n]);
  },
  getFilterChanges: async () => {
    const filter = await client.createEventFilter({ address: counter.address });
    await mined(sendAddition());
    equal((await client.getFilterChanges({ filter })).length, 1);
  },
  getFilterLogs: async () => {
    const filter = await client.createEventFilter({ ...upToBlock, address: counter.address });
    equal((await client.getFilterLogs({ filter })).length, 2);
  },
  uninstallFilter: async () => {
    const filter = await client.createBlockFilter();
    deepEqual([await client.uninstallFilter({ filter }), await client.uninstallFilter({ filter })], [true, false]);
  },
};

const chainMethods = {
  getChainId: async () => equal(await client.getChainId(), 33),
  getBlockNumber: async () => assert((await client.getBlockNumber()) >= block.number),
  getBlock: async () => {
    const found = await client.getBlock({ blockHash: block.hash, includeTransactions: true });
    deepEqual(
      [found.number, found.parentHash, found.stateRoot],
      [BigInt(block.number), block.parentHash, block.stateRoot],
    );
    equal(found.transactions[0].hash, transaction.hash);
    const depths = await Promise.all(
      ["earliest", "safe", "finalized"].map((blockTag) => client.getBlock({ blockTag })),
    );
    deepEqual(
      depths.map(({ number }) => number),
      [0n, 0n, 0n],
    );
    assert((await client.getBlock({ blockTag: "pending" })).timestamp > 0n);
  },
  getBlockReceipts: async () => {
    const [{ transactionHash, status }] = await client.getBlockReceipts({ blockHash: block.hash });
    deepEqual([transactionHash, status], [transaction.hash, "success"]);
  },
  getBlockTransactionCount: async () => {
    equal(await client.getBlockTransactionCount({ blockNumber: BigInt(block.number) }), 2);
  },
  getTransaction: async () => {
    const { from, to, input, nonce, blockHash, type } = await client.getTransaction({ hash: transaction.hash });
    deepEqual([from, to, input, blockHash], [chain.nodeAccount, counter.address, transaction.input, block.hash]);
    deepEqual([nonce, type], [transaction.nonce, "legacy"]);
  },
  getRawTransaction: async () => {
    const raw = await client.getRawTransaction({ hash: transaction.hash });
    equal(viem.keccak256(raw), transaction.hash);
    equal(viem.parseTransaction(raw).data, transaction.input);
  },
  getTransactionConfirmations: async () => {
    assert((await client.getTransactionConfirmations({ hash: transaction.hash })) >= 1n);
  },
  getTransactionReceipt: async () => {
    const { status, gasUsed, logs } = await client.getTransactionReceipt({ hash: transaction.hash });
    deepEqual([status, Number(gasUsed), totalsOf(logs)], ["success", transaction.gasUsed, [42n]]);
  },
  waitForTransactionReceipt: async () => {
    equal((await client.waitForTransactionReceipt({ hash: transaction.hash })).blockHash, block.hash);
  },
  getLogs: async () => {
    const event = abi.find(({ type }) => type === "event");
    deepEqual(totalsOf(await client.getLogs({ address: counter.address, event, ...upToBlock })), [5n, 42n]);
  },
  getContractEvents: async () => {
    deepEqual(totalsOf(await client.getContractEvents({ ...at, eventName: "Added", ...upToBlock })), [5n, 42n]);
  },
};

const stateMethods = {
  getBalance: async () => assert((await client.getBalance({ address: account.address })) > viem.parseEther("1")),
  getTransactionCount: async () => {
    equal(await client.getTransactionCount({ address: chain.nodeAccount, blockNumber: BigInt(block.number) }), 3);
  },
  getBytecode: async () => equal(await client.getBytecode({ address: counter.address }), counter.runtime),
  getCode: async () => equal(await client.getCode({ address: counter.address }), counter.runtime),
  getDelegation: async () => equal(await client.getDelegation({ address: counter.address }), undefined),
  getStorageAt: async () => {
    const cell = { address: counter.address, slot: "0x0", blockNumber: BigInt(block.number) };
    equal(BigInt(await client.getStorageAt(cell)), 42n);
  },
  getProof: async () => {
    const where = { address: counter.address, storageKeys: [viem.toHex(0, { size: 32 })] };
    const { storageProof } = await client.getProof({ ...where, blockNumber: BigInt(block.number) });
    equal(storageProof[0].value, 42n);
    assert(storageProof[0].proof.length > 0);
  },
};

const executionMethods = {
  call: async () => equal(totalOf((await client.call({ ...callTotal, blockNumber: BigInt(block.number) })).data), 42n),
  createAccessList: async () => {
    const { accessList } = await client.createAccessList({ account, ...callTotal });
    deepEqual(accessList[0]?.storageKeys, [viem.toHex(0, { size: 32 })]);
  },
  estimateGas: async () => equal(await client.estimateGas({ account, ...payment }), 21_000n),
  estimateContractGas: async () => assert((await client.estimateContractGas(addition(1n))) > 21_000n),
  readContract: async () => {
    equal(await client.readContract({ ...at, functionName: "total", blockNumber: BigInt(block.number) }), 42n);
  },
  simulateContract: async () => {
    equal((await client.simulateContract(addition(1n))).request.functionName, "add");
    await assert.rejects(client.simulateContract(addition(101n)), /too much/);
  },
  multicall: async () => {
    const contracts = [1, 2].map(() => ({ ...at, functionName: "total" }));
    const [first, second] = await client.multicall({ contracts, deployless: true, allowFailure: false });
    equal(first, second);
  },
  simulateBlocks: async () => {
    const [{ calls }] = await client.simulateBlocks({
      blocks: [{ calls: [{ ...addition(1n), to: counter.address }] }],
    });
    equal(calls[0].status, "success");
  },
  simulateCalls: async () => {
    const { results } = await client.simulateCalls({
      account,
      calls: [{ abi, to: counter.address, functionName: "total" }],
    });
    assert(results[0].result >= 42n);
  },
  simulate: async () => {
    const [{ calls }] = await client.simulate({ blocks: [{ calls: [{ account: account.address, ...callTotal }] }] });
    assert(totalOf(calls[0].data) >= 42n);
  },
  getEip712Domain: async () => {
    const types = viem.parseAbiParameters("bytes1, string, string, uint256, address, bytes32, uint256[]");
    const zero = viem.toHex(0, { size: 32 });
    const values = ["0x0f", "cambium", "1", 33n, counter.address, zero, []];
    const address = await deployConstant(viem.encodeAbiParameters(types, values));
    equal((await client.getEip712Domain({ address })).domain.name, "cambium");
  },
};

const NOTE = {
  domain: { name: "cambium" },
  types: { Note: [{ name: "text", type: "string" }] },
  primaryType: "Note",
  message: { text: "hello" },
};

const signatureMethods = {
  verifyHash: async () => {
    const hash = viem.hashMessage("hello");
    const signature = await account.sign({ hash });
    equal(await client.verifyHash({ address: account.address, hash, signature }), true);
    // A contract that answers with the selector of EIP-1271 accepts every signature.
    const address = await deployConstant(`0x1626ba7e${"00".repeat(28)}`);
    equal(await client.verifyHash({ address, hash, signature: viem.padHex("0x01", { size: 65 }) }), true);
  },
  verifyMessage: async () => {
    const signature = await account.signMessage({ message: "hello" });
    equal(await client.verifyMessage({ address: account.address, message: "hello", signature }), true);
    equal(await client.verifyMessage({ address: counter.address, message: "hello", signature }), false);
  },
  verifySiweMessage: async () => {
    const message = createSiweMessage({
      address: account.address,
      chainId: 33,
      domain: "example.org",
      nonce: "abcdefgh",
      uri: "https://example.org",
      version: "1",
    });
    equal(await client.verifySiweMessage({ message, signature: await account.signMessage({ message }) }), true);
  },
  verifyTypedData: async () => {
    const signature = await account.signTypedData(NOTE);
    equal(await client.verifyTypedData({ address: account.address, ...NOTE, signature }), true);
  },
};

const feeMethods = {
  getGasPrice: async () => assert((await client.getGasPrice()) >= 0n),
  getFeeHistory: async () => {
    const { baseFeePerGas, reward } = await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] });
    deepEqual([baseFeePerGas, reward.length], [[], 2]);
  },
  estimateFeesPerGas: async () => assert((await client.estimateFeesPerGas({ type: "legacy" })).gasPrice >= 0n),
  estimateMaxPriorityFeePerGas: async () => assert((await client.estimateMaxPriorityFeePerGas()) >= 0n),
  getBlobBaseFee: notApplicable(REASONS.blobs, () => client.getBlobBaseFee()),
};

/** Returns methods with which a client prepares and sends, the same for a key in this process and in the node. */
function sendingMethods(wallet, address) {
  return {
    prepareTransactionRequest: async () => {
      const { nonce, gas, type } = await wallet.prepareTransactionRequest({ account: address, ...payment });
      deepEqual([nonce, gas, type], [await nonceOf(address), 21_000n, "legacy"]);
    },
    sendRawTransaction: async () => mined(wallet.sendRawTransaction({ serializedTransaction: await signedPayment() })),
    sendRawTransactionSync: async () => {
      const serializedTransaction = await signedPayment();
      equal((await wallet.sendRawTransactionSync({ serializedTransaction })).status, "success");
    },
    fillTransaction: async () => {
      const { transaction } = await wallet.fillTransaction({ account: address, ...payment });
      deepEqual([transaction.nonce, transaction.gas], [await nonceOf(address), 21_000n]);
    },
  };
}

const names = Object.fromEntries(
  ["getEnsAddress", "getEnsAvatar", "getEnsResolver", "getEnsText"].map((method) => {
    return [method, notApplicable(REASONS.names, () => client[method]({ name: NAME, key: "url" }))];
  }),
);

/** Methods of wallets, with a key in this process or in the node. */
function walletMethods(wallet, address) {
  const foreign = (call) => notApplicable(REASONS.wallet, call);
  const calls = [payment];
  return {
    ...sendingMethods(wallet, address),
    getChainId: async () => equal(await wallet.getChainId(), 33),
    deployContract: async () => mined(wallet.deployContract({ abi, bytecode: counter.code, gas: 300_000n })),
    sendTransaction: async () => mined(wallet.sendTransaction(payment)),
    sendTransactionSync: async () => equal((await wallet.sendTransactionSync(payment)).status, "success"),
    writeContract: async () => mined(wallet.writeContract({ ...addition(0n), account: wallet.account })),
    writeContractSync: async () => {
      equal((await wallet.writeContractSync({ ...addition(0n), account: wallet.account })).status, "success");
    },
    signMessage: async () => {
      const signature = await wallet.signMessage({ message: "hello" });
      assert(await viem.verifyMessage({ address, message: "hello", signature }));
    },
    signTypedData: async () => {
      assert(await viem.verifyTypedData({ address, ...NOTE, signature: await wallet.signTypedData(NOTE) }));
    },
    getAddresses: async () =>
      assert((await wallet.getAddresses()).some((found) => viem.isAddressEqual(found, address))),
    requestAddresses: async () => assert((await wallet.requestAddresses()).length > 0),
    prepareAuthorization: async () => {
      const { nonce } = await wallet.prepareAuthorization({ contractAddress: counter.address });
      equal(nonce, await nonceOf(address));
    },
    addChain: foreign(() => wallet.addChain({ chain: local })),
    getCallsStatus: foreign(() => wallet.getCallsStatus({ id: "0x1" })),
    getCapabilities: foreign(() => wallet.getCapabilities()),
    getPermissions: foreign(() => wallet.getPermissions()),
    requestPermissions: foreign(() => wallet.requestPermissions({ eth_accounts: {} })),
    sendCalls: foreign(() => wallet.sendCalls({ calls })),
    sendCallsSync: foreign(() => wallet.sendCallsSync({ calls })),
    showCallsStatus: foreign(() => wallet.showCallsStatus({ id: "0x1" })),
    switchChain: foreign(() => wallet.switchChain({ id: 33 })),
    waitForCallsStatus: foreign(() => wallet.waitForCallsStatus({ id: "0x1", timeout: 2000, retryCount: 0 })),
    watchAsset: foreign(() => {
      return wallet.watchAsset({ type: "ERC20", options: { address: counter.address, decimals: 18, symbol: "COIN" } });
    }),
    request: async () => equal(await wallet.request({ method: "eth_chainId" }), "0x21"),
  };
}

const signTransaction = async () => {
  const request = await wallet.prepareTransactionRequest({ ...payment });
  equal(viem.parseTransaction(await wallet.signTransaction(request)).nonce, request.nonce);
};

const publicMethods = {
  ...chainMethods,
  ...stateMethods,
  ...executionMethods,
  ...signatureMethods,
  ...feeMethods,
  ...filterMethods,
  ...watchMethods(client),
  watchBlockHeaders: notApplicable("over WebSocket only"),
  ...sendingMethods(client, account.address),
  ...names,
  getEnsName: notApplicable(REASONS.names, () => client.getEnsName({ address: account.address })),
  getStorageValues: async () => {
    const requests = { [counter.address]: [viem.toHex(0, { size: 32 })] };
    const { [counter.address]: values } = await client.getStorageValues({
      requests,
      blockNumber: BigInt(block.number),
    });
    deepEqual(values.map(Number), [42]);
  },
  request: async () => equal(await client.request({ method: "eth_chainId" }), "0x21"),
};

await runTour([
  { group: "PublicClient", surface: methodsOf(client), local: ["extend"], methods: publicMethods },
  {
    group: "WebSocket",
    surface: new Set([...methodsOf(socket)].filter((name) => name === "request" || name.startsWith("watch"))),
    methods: {
      request: async () => equal(await socket.request({ method: "eth_chainId" }), "0x21"),
      ...watchMethods(socket),
      watchBlockHeaders: async () => {
        const head = await watched((onBlockHeader, onError) => socket.watchBlockHeaders({ onBlockHeader, onError }));
        equal(viem.size(head.hash), 32);
      },
    },
  },
  {
    group: "WalletClient",
    surface: methodsOf(wallet),
    local: ["extend", "signAuthorization"],
    methods: { ...walletMethods(wallet, account.address), signTransaction },
  },
  {
    group: "WalletClientOfNode",
    surface: methodsOf(nodeWallet),
    local: ["extend"],
    methods: {
      ...walletMethods(nodeWallet, chain.nodeAccount),
      signTransaction: notApplicable(REASONS.signed, async () => {
        equal(typeof (await nodeWallet.signTransaction({ ...payment, gas: 21_000n })), "string");
      }),
      signAuthorization: notApplicable(REASONS.delegation, () => nodeWallet.signAuthorization({ nonce: 0 })),
    },
  },
  ...["anvil", "hardhat"].map((mode) => ({
    group: mode === "anvil" ? "TestClient" : "TestClientOfHardhat",
    surface: methodsOf(viem.createTestClient({ ...settings, mode })),
    local: ["extend"],
    methods: {
      request: async () =>
        equal(await viem.createTestClient({ ...settings, mode }).request({ method: "eth_chainId" }), "0x21"),
      ...testMethods({ ...settings, mode }, { account, node: chain.nodeAccount }),
    },
  })),
]);
