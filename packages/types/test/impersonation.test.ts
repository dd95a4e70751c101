import assert from "node:assert/strict";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { equalBytes, toHex } from "@cambium/primitives";
import {
  applySenders,
  impersonatedTransaction,
  packSenders,
  recogniseImpersonated,
  recoverSender,
  Transaction,
} from "../src/index.js";

const { main, test, dev, local } = NETWORKS;
const SENDER = new Uint8Array(20).fill(0xab);
const TO = new Uint8Array(20).fill(7);

function marked(chainId: number, sender = SENDER): Transaction {
  const request = { nonce: 3n, gasPrice: 0n, gasLimit: 21_000n, to: TO, value: 5n, chainId };
  return impersonatedTransaction(request, sender);
}

function decodedOn(network: NetworkConfig, { encoded }: Transaction): Transaction {
  const transaction = Transaction.decode(encoded);
  recogniseImpersonated([transaction], network);
  return transaction;
}

describe("transactions of impersonated accounts", () => {
  it("have their sender and an acceptable signature on networks for development", () => {
    for (const network of [local, dev, { ...local, chainId: 99 }]) {
      const transaction = decodedOn(network, marked(network.chainId));
      assert.equal(toHex(transaction.sender!), toHex(SENDER));
      assert(transaction.acceptSignature(network.chainId));
      transaction.verifyFields();
      assert.equal(toHex(transaction.hash), toHex(marked(network.chainId).hash));
    }
    const zeros = new Uint8Array(20);
    assert.deepEqual(decodedOn(local, marked(33, zeros)).sender, zeros);
    assert(!equalBytes(marked(33).hash, marked(33, zeros).hash), "each sender has its own hashes");
  });

  it("have whatever sender their signature has on any other network", () => {
    const others = [
      main,
      test,
      { ...local, chainId: 30 },
      { ...local, chainId: 31 },
      { ...main, isForDevelopment: true },
    ];
    for (const network of [...others, { ...local, isForDevelopment: false }]) {
      const transaction = decodedOn(network, marked(network.chainId));
      const recovered = recoverSender(transaction.recoveryInput()!);
      assert.deepEqual(transaction.sender ?? new Uint8Array(0), recovered);
      assert.notEqual(toHex(recovered), toHex(SENDER));
    }
  });

  it("are those of this chain with the whole marker only", () => {
    const signature = marked(33).signature!;
    assert.notDeepEqual(decodedOn(local, marked(32)).sender, SENDER);
    for (const change of [
      { s: signature.s.slice(1) },
      { r: signature.r.slice(1) },
      { r: signature.r.map((byte, i) => (i === 0 ? byte + 1 : byte)) },
      { recovery: 1 as const },
    ]) {
      const { nonceBytes: nonce, gasPriceOrNull: gasPrice, gasLimitBytes: gasLimit, to, value, data } = marked(33);
      const rest = { nonce, gasPrice, gasLimit, to, value, data, unsignedChainId: 33, isReward: false };
      const transaction = new Transaction({ ...rest, signature: { ...signature, ...change } });
      assert.notDeepEqual(decodedOn(local, transaction).sender, SENDER);
    }
  });

  it("keep their sender if a thread that does not know the network recovers another", () => {
    const transaction = decodedOn(local, marked(33));
    applySenders([transaction], packSenders([TO]));
    assert.deepEqual(transaction.sender, SENDER);
  });
});
