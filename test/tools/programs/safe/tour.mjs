import assert from "node:assert/strict";
import { createRequire } from "node:module";
import Safe from "@safe-global/protocol-kit";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const artifact = createRequire(import.meta.url);
const url = process.env.NODE_URL;
const keys = JSON.parse(process.env.KEYS);
const accounts = keys.map((key) => privateKeyToAccount(key));
const owners = accounts.slice(0, 3).map(({ address }) => address);
const recipient = "0x00000000000000000000000000000000c0ffee00";

const chain = defineChain({
  id: 33,
  name: "local",
  nativeCurrency: { name: "coin", symbol: "COIN", decimals: 18 },
  rpcUrls: { default: { http: [url] } },
});
const client = createWalletClient({ account: accounts[0], chain, transport: http(), pollingInterval: 100 });
const wallet = client.extend(publicActions);

async function sent(transaction) {
  const receipt = await wallet.waitForTransactionReceipt({ hash: await transaction });
  assert.equal(receipt.status, "success");
  return receipt;
}

async function deployed(path) {
  const { abi, bytecode } = artifact(`@safe-global/safe-smart-account/build/artifacts/contracts/${path}.json`);
  return (await sent(wallet.deployContract({ abi, bytecode }))).contractAddress;
}

/** Safe's contracts are not deployed on this chain where its library expects them. */
const contractNetworks = {
  [chain.id]: {
    safeSingletonAddress: await deployed("Safe.sol/Safe"),
    safeProxyFactoryAddress: await deployed("proxies/SafeProxyFactory.sol/SafeProxyFactory"),
    fallbackHandlerAddress: await deployed("handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler"),
    multiSendAddress: await deployed("libraries/MultiSend.sol/MultiSend"),
    multiSendCallOnlyAddress: await deployed("libraries/MultiSendCallOnly.sol/MultiSendCallOnly"),
    signMessageLibAddress: await deployed("libraries/SignMessageLib.sol/SignMessageLib"),
    createCallAddress: await deployed("libraries/CreateCall.sol/CreateCall"),
    simulateTxAccessorAddress: await deployed("accessors/SimulateTxAccessor.sol/SimulateTxAccessor"),
  },
};

const settings = (signer) => ({ provider: url, signer, contractNetworks });
const predicted = await Safe.init({
  ...settings(keys[0]),
  predictedSafe: {
    safeAccountConfig: { owners, threshold: 2 },
    safeDeploymentConfig: { saltNonce: "1", safeVersion: "1.5.0" },
  },
});
const safeAddress = await predicted.getAddress();
const { to, data } = await predicted.createSafeDeploymentTransaction();
await sent(wallet.sendTransaction({ to, data }));

const first = await Safe.init({ ...settings(keys[0]), safeAddress });
assert.equal(await first.isSafeDeployed(), true);
assert.deepEqual(await first.getOwners(), owners);
assert.equal(await first.getThreshold(), 2);
await sent(wallet.sendTransaction({ to: safeAddress, value: 100n }));

const payment = { to: recipient, value: "7", data: "0x" };
const single = await first.signTransaction(await first.createTransaction({ transactions: [payment] }));
await assert.rejects(first.executeTransaction(single), /signature/);

const second = await Safe.init({ ...settings(keys[1]), safeAddress });
const both = await second.signTransaction(single);
const { hash } = await second.executeTransaction(both);
await sent(hash);
assert.equal(await wallet.getBalance({ address: recipient }), 7n);

const batch = await first.createTransaction({ transactions: [payment, payment] });
await sent((await second.executeTransaction(await second.signTransaction(await first.signTransaction(batch)))).hash);
assert.equal(await wallet.getBalance({ address: recipient }), 21n);
assert.equal(await first.getNonce(), 2);
