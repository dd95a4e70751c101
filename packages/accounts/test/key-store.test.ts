import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { local } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { AccountsError, DEFAULT_UNLOCK_TIME, developmentKeys, KeyStore } from "../src/index.js";

const CHEAP = { n: 4, r: 1, p: 1 };
const KEY = fromHex("c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4");
const COW = "cd2a3d9f938e13cd947ec05abc7fe734df8dd826";

describe("KeyStore", () => {
  let folder: string;
  let time = 1_000_000;
  const open = () => new KeyStore({ folder, now: () => time, cost: CHEAP });

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), "cambium-keys-")), "keystore");
  });
  afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

  it("derives accounts from seeds, in memory only and always usable", () => {
    const store = open();
    assert.equal(toHex(store.addSeed("cow")), COW);
    assert.equal(toHex(store.addSeed("sampleSeed1")), "82cb5e9f9e9bbb260e176ee10c64878d3478f60c");
    time += 10 * DEFAULT_UNLOCK_TIME;
    assert.deepEqual(store.privateKey(fromHex(COW)), KEY);
    assert.equal(store.lock(fromHex(COW)), false);
    assert.deepEqual(open().addresses(), []);
  });

  it("stores new accounts readable by the owner only, and unlocks them for half an hour", async () => {
    const store = open();
    const address = await store.create("secret");
    assert.notEqual(store.privateKey(address), undefined);
    time += DEFAULT_UNLOCK_TIME - 1;
    assert.notEqual(store.privateKey(address), undefined);
    time += 1;
    assert.equal(store.privateKey(address), undefined);
    const [name] = readdirSync(folder);
    assert.match(name!, new RegExp(`^UTC--.*--${toHex(address)}$`));
    assert.equal(statSync(join(folder, name!)).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it("loads stored accounts, locked", async () => {
    await open().import(KEY, "secret");
    const store = open();
    assert.deepEqual(store.addresses().map(toHex), [COW]);
    assert.equal(store.privateKey(fromHex(COW)), undefined);
    assert.equal(await store.unlock(fromHex(COW), "Secret"), false);
    assert.equal(await store.unlock(fromHex(COW), "secret", 500), true);
    assert.deepEqual(store.privateKey(fromHex(COW)), KEY);
    time += 500;
    assert.equal(store.privateKey(fromHex(COW)), undefined);
    assert.deepEqual(await store.decrypt(fromHex(COW), "secret"), KEY);
    assert.equal(store.privateKey(fromHex(COW)), undefined);
  });

  it("locks an account", async () => {
    const store = open();
    const address = await store.import(KEY, "secret");
    assert.equal(store.lock(address), true);
    assert.equal(store.lock(address), false);
    assert.equal(store.privateKey(address), undefined);
    assert.deepEqual(KEY.subarray(0, 2), Uint8Array.of(0xc8, 0x5e), "the caller's bytes are not erased");
    assert.equal(await store.unlock(new Uint8Array(20), "secret"), false);
  });

  it("lists seed-derived accounts first, without duplicates", async () => {
    const store = open();
    const stored = await store.create("secret");
    await store.import(KEY, "secret");
    store.addSeed("cow1");
    store.addSeed("cow");
    assert.deepEqual(store.addresses().map(toHex), ["7986b3df570230288501eea3d890bd66948c9b79", COW, toHex(stored)]);
  });

  it("rejects keys out of range", async () => {
    for (const key of [new Uint8Array(32), new Uint8Array(32).fill(0xff), new Uint8Array(33).fill(1)]) {
      await assert.rejects(open().import(key, ""), AccountsError);
    }
  });

  it("skips unreadable files", async () => {
    await open().import(KEY, "secret");
    writeFileSync(join(folder, "UTC--broken"), "{");
    mkdirSync(join(folder, "UTC--folder"));
    writeFileSync(join(folder, "notes.txt"), "not a key");
    const store = open();
    assert.equal(store.addresses().length, 1);
    assert.equal(store.unreadable.length, 2);
  });
});

describe("developmentKeys", () => {
  it("match the accounts funded by the genesis block of the local network", () => {
    const funded = local.genesis.accounts.filter(({ balance }) => balance === 10n ** 30n);
    assert.deepEqual(
      developmentKeys().map(({ address }) => toHex(address)),
      funded.map(({ address }) => toHex(address)),
    );
  });
});
