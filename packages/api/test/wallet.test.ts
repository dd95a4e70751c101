import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyStore } from "@cambium/accounts";
import { fromHex, recoverAddress, toData, toHex } from "@cambium/primitives";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import type { Transaction } from "@cambium/types";
import { hashMessage, Transaction as ParsedTransaction, verifyMessage, verifyTypedData } from "ethers";
import { apiOver, ask } from "./support/service.js";

const COW = "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826";
const COW_KEY = "0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4";
const UNKNOWN = `0x${"11".repeat(20)}`;

describe("keys of the node", () => {
  let folder: string;
  let added: Transaction[];
  let call: (method: string, ...params: unknown[]) => Promise<ReturnType<typeof JSON.parse>>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-wallet-"));
    added = [];
    const accounts = new KeyStore({ folder, cost: { n: 4, r: 1, p: 1 } });
    const pool = new FakePool().api({
      pendingNonce: () => 7n,
      add(transaction) {
        added.push(transaction);
        return { kind: "pending", added: [transaction] };
      },
    });
    const service = apiOver(new FakeChain(), {}, { accounts, pool });
    call = (method, ...params) => ask(service, method, ...params);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("are derived from seeds, imported or generated", async () => {
    assert.equal(await call("personal_importRawKey", COW_KEY.slice(2), "secret"), COW);
    assert.equal(await call("personal_newAccountWithSeed", "cow1"), "0x7986b3df570230288501eea3d890bd66948c9b79");
    const fresh = await call("personal_newAccount", "");
    assert.match(fresh, /^0x[0-9a-f]{40}$/);
    const all = ["0x7986b3df570230288501eea3d890bd66948c9b79", COW, fresh];
    assert.deepEqual(await call("personal_listAccounts"), all);
    assert.deepEqual(await call("eth_accounts"), all);
  });

  it("are exported, locked and unlocked", async () => {
    await call("personal_importRawKey", COW_KEY, "secret");
    assert.equal(await call("personal_dumpRawKey", COW), COW_KEY);
    assert.equal(await call("personal_lockAccount", COW), true);
    assert.equal(await call("personal_lockAccount", COW), false);
    const locked = "Address private key is locked or could not be found in this node";
    for (const address of [COW, UNKNOWN]) {
      await assert.rejects(call("personal_dumpRawKey", address), { code: -32602, message: locked });
    }
    assert.equal(await call("personal_unlockAccount", COW, "Secret"), false);
    assert.equal(await call("personal_unlockAccount", UNKNOWN, "secret"), false);
    assert.equal(await call("personal_unlockAccount", COW, "secret", "0x0"), true);
    await assert.rejects(call("personal_dumpRawKey", COW), { code: -32602 });
    assert.equal(await call("personal_unlockAccount", COW, "secret", ""), true);
    assert.equal(await call("personal_dumpRawKey", COW), COW_KEY);
  });

  it("reject malformed parameters in the documented wording", async () => {
    const cases: [string, string, ...unknown[]][] = [
      ["Seed is null", "personal_newAccountWithSeed", null],
      ["Passphrase is null", "personal_newAccount", null],
      ["Key cannot be null.", "personal_importRawKey", null, "x"],
      ["Invalid param xyz: value must be a valid hex.", "personal_importRawKey", "xyz", "x"],
      ["Invalid private key", "personal_importRawKey", "00", "x"],
      ["Invalid private key", "personal_importRawKey", "ff".repeat(32), "x"],
      ["Invalid duration param: value must be a valid hex number.", "personal_unlockAccount", COW, "x", "10"],
      [
        "Invalid duration param: value must be a valid hex number.",
        "personal_unlockAccount",
        COW,
        "x",
        `0x${"f".repeat(16)}`,
      ],
      ["from is null", "eth_sendTransaction", {}],
      ["method parameters invalid", "personal_newAccount"],
    ];
    for (const [message, method, ...params] of cases) {
      await assert.rejects(call(method, ...params), { code: -32602, message }, message);
    }
  });

  it("sign prefixed messages", async () => {
    await call("personal_newAccountWithSeed", "cow");
    const signature = await call("eth_sign", COW, toData(new TextEncoder().encode("hello")));
    assert.equal(verifyMessage("hello", signature).toLowerCase(), COW);
    const bytes = fromHex(signature);
    const [r, s] = [BigInt(toData(bytes.subarray(0, 32))), BigInt(toData(bytes.subarray(32, 64)))];
    const recovered = recoverAddress(fromHex(hashMessage("hello")), { r, s, recovery: bytes[64]! - 27 });
    assert.equal(toHex(recovered!), COW.slice(2));
    await assert.rejects(call("eth_sign", UNKNOWN, "0x00"), { code: -32602, message: "Account not found" });
  });

  it("sign transactions with the documented defaults", async () => {
    await call("personal_newAccountWithSeed", "cow");
    const typed = call("eth_sendTransaction", { from: COW, data: "0x6001", type: "0x2" });
    await assert.rejects(typed, { code: -32602, message: /^transaction type 2 is not supported on this network;/ });
    const unlike: [string, unknown, string][] = [
      ["maxFeePerGas", "0x1", "maxFeePerGas of transaction type 2 is not supported on this network;"],
      ["maxPriorityFeePerGas", "0x0", "maxPriorityFeePerGas of transaction type 2 is not supported on this network;"],
      ["blobVersionedHashes", [], "blobVersionedHashes of transaction type 3 is not supported on this network;"],
      ["authorizationList", [], "authorizationList of transaction type 4 is not supported on this network;"],
      ["accessList", [{}], "transaction type 1 is not supported on this network;"],
      ["gaz", "0x1", "unknown member gaz of a transaction"],
    ];
    for (const [member, value, message] of unlike) {
      const wrong = call("eth_sendTransaction", { from: COW, data: "0x6001", [member]: value });
      await assert.rejects(wrong, (error: { code: number; message: string }) => {
        return error.code === -32602 && error.message.startsWith(message);
      });
    }
    assert.equal(added.length, 0);
    const legacy = { from: COW, data: "0x6001", type: "0x0", accessList: [], maxFeePerGas: null };
    const hash = await call("eth_sendTransaction", legacy);
    const [sent] = added;
    assert.equal(hash, toData(sent!.hash));
    assert.equal(toData(sent!.sender!), COW);
    assert.deepEqual(
      [sent!.nonce, sent!.gasPrice, sent!.gasLimit, sent!.value, sent!.isCreation, sent!.chainId],
      [7n, 0n, 90_000n, 0n, true, 33],
    );
    const request = { from: COW, to: UNKNOWN, gasLimit: "0x5208", nonce: "9", value: 3, data: "0x02", input: "0x02" };
    await call("eth_sendTransaction", { ...request, chainId: "0x21", gasPrice: "0x5" });
    const { nonce, gasLimit, value, data, to, gasPrice } = added[1]!;
    assert.deepEqual([nonce, gasLimit, value, toHex(data), toData(to), gasPrice], [9n, 21_000n, 3n, "02", UNKNOWN, 5n]);
    await call("eth_sendTransaction", { ...request, chainId: "0x0" });
    await assert.rejects(call("eth_sendTransaction", { ...request, chainId: "0x1e" }), {
      code: -32602,
      message: "Invalid chainId: 30",
    });
    await assert.rejects(call("eth_sendTransaction", { from: UNKNOWN }), {
      code: -32602,
      message: `Could not find account for address: ${UNKNOWN}`,
    });
  });

  it("sign messages, typed data and transactions", async () => {
    await call("personal_importRawKey", COW_KEY, "secret");
    const message = "0xdeadbeef";
    const signed = await call("eth_sign", COW, message);
    assert.equal(await call("personal_sign", message, COW), signed);
    assert.equal(await call("personal_sign", message, COW, ""), signed);
    const types = { Note: [{ name: "text", type: "string" }] };
    const data = { types, primaryType: "Note", domain: {}, message: { text: "hello" } };
    const typed = await call("eth_signTypedData_v4", COW, data);
    assert.equal(await call("eth_signTypedData", COW, data), typed);
    assert.equal(verifyTypedData({}, types, data.message, typed).toLowerCase(), COW);
    assert.equal(await call("eth_signTypedData_v4", COW, JSON.stringify(data)), typed);
    const { raw, tx } = await call("eth_signTransaction", { from: COW, to: UNKNOWN, value: "0x5", gasPrice: "0x1" });
    const decoded = ParsedTransaction.from(raw);
    assert.deepEqual([decoded.from?.toLowerCase(), decoded.hash, decoded.nonce], [COW, tx.hash, 7]);
    assert.deepEqual([tx.value, tx.blockHash, added.length], ["0x5", null, 0]);
    assert.deepEqual(await call("eth_requestAccounts"), [COW]);
    await call("personal_lockAccount", COW);
    assert.equal(await call("personal_sign", message, COW, "secret"), signed);
    await assert.rejects(call("personal_sign", message, COW), { code: -32602 });
    await assert.rejects(call("personal_sign", message, COW, ""), { code: -32602 });
    await assert.rejects(call("personal_sign", message, COW, "wrong"), { code: -32602 });
    await assert.rejects(call("eth_signTypedData_v4", COW, data), { code: -32602, message: "Account not found" });
    await assert.rejects(call("eth_signTransaction", { from: COW }), { code: -32602 });
  });

  it("sign one transaction with a passphrase and stay locked", async () => {
    await call("personal_importRawKey", COW_KEY, "secret");
    await call("personal_lockAccount", COW);
    await assert.rejects(call("eth_sendTransaction", { from: COW }), { code: -32602 });
    await call("personal_sendTransaction", { from: COW, to: UNKNOWN }, "secret");
    assert.equal(toData(added[0]!.sender!), COW);
    await assert.rejects(call("eth_sendTransaction", { from: COW }), { code: -32602 });
    const message = "From address private key could not be found in this node";
    for (const [from, passphrase] of [
      [COW, "wrong"],
      [UNKNOWN, "secret"],
    ]) {
      await assert.rejects(call("personal_sendTransaction", { from }, passphrase), { code: -32602, message });
    }
  });
});

describe("many passphrases at once", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-wallet-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("are refused beyond a short queue, and create no account after their time limit", async () => {
    const accounts = new KeyStore({ folder });
    const service = apiOver(new FakeChain(), { timeout: 100 }, { accounts });
    const create = () => ask(service, "personal_newAccount", "secret").catch(({ code, message }) => [code, message]);
    const answers = await Promise.all(Array.from({ length: 300 }, create));
    const [busy, late] = ["too many queued requests", "Execution has got timeout out."];
    assert(answers.every(([code, message]) => code === -32011 && [busy, late].includes(message)));
    assert(answers.filter(([, message]) => message === busy).length >= 200);
    // The next derivation waits for the one that could not be stopped.
    const patient = apiOver(new FakeChain(), { timeout: 0 }, { accounts });
    const address = await ask(patient, "personal_newAccount", "secret");
    assert.deepEqual(await ask(patient, "eth_accounts"), [address]);
    assert.equal(readdirSync(folder).length, 1);
  });
});

describe("a node without keys", () => {
  const service = apiOver(new FakeChain());
  const call = (method: string, ...params: unknown[]) => ask(service, method, ...params);

  it("returns the documented errors", async () => {
    assert.deepEqual(await call("eth_accounts"), []);
    const off = { code: -32604, message: "The local wallet feature is disabled" };
    for (const [method, ...params] of [
      ["personal_newAccountWithSeed", "cow"],
      ["personal_newAccount", "x"],
      ["personal_importRawKey", COW_KEY, "x"],
      ["personal_dumpRawKey", COW],
      ["personal_listAccounts"],
      ["personal_unlockAccount", COW, "x"],
      ["personal_lockAccount", COW],
      ["personal_sendTransaction", { from: COW }, "x"],
    ]) {
      await assert.rejects(call(method as string, ...params), off, String(method));
    }
    const message = "Local wallet is disabled in this node";
    await assert.rejects(call("eth_sendTransaction", { from: COW }), { code: -32602, message });
    await assert.rejects(call("eth_sign", COW, "0x00"), { code: -32602, message });
  });

  it("are not there without a wallet", async () => {
    const without = apiOver(new FakeChain());
    const disabled = { code: -32602, message: "Local wallet is disabled in this node" };
    await assert.rejects(ask(without, "eth_requestAccounts"), disabled);
    await assert.rejects(ask(without, "eth_signTransaction", { from: COW }), disabled);
    await assert.rejects(ask(without, "personal_sign", "0x", COW), { code: -32604 });
  });
});
