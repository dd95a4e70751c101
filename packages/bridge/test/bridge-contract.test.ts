import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BRIDGE_ADDRESS, local, main, type NetworkConfig, rulesAt, test } from "@cambium/config";
import { abiFunction, CambiumError, encodeRlp, encodeValues, fromHex, toHex, utf8 } from "@cambium/primitives";
import { accountKey, cellKey, type JournaledState, type NativeCallContext } from "@cambium/state";
import { emptyState, type RecordedCall, recordCall } from "@cambium/test-utils/native-call";
import { fc } from "@cambium/test-utils/properties";
import { vectorPath } from "@cambium/test-utils/vectors";
import { BRIDGE_METHODS } from "../src/abi/methods.js";
import { PARENT_CHAINS } from "../src/bitcoin/parent-chains.js";
import { federationAddress, redeemScript, scriptHash } from "../src/federation/script.js";
import { createBridgeContract } from "../src/index.js";
import { LEAST_GAS } from "../src/method-gas.js";
import { decodeFederation, encodeFederation, type Federation, sortMembers } from "../src/model/federation.js";
import { decodeStoredBlock, encodeStoredBlock } from "../src/parent-chain/block-store.js";
import { parentBlockHash } from "../src/parent-chain/header-hash.js";
import { CELLS, compoundCell, namedCell } from "../src/storage/cells.js";

const contract = createBridgeContract();
const BEFORE_ORCHID = 728_999;
const ORCHID = 729_000;
const ARROWHEAD = 6_223_700;
const EMPTY_OUTPUT = "20".padStart(64, "0") + "0".repeat(128);

interface At {
  network?: NetworkConfig;
  height?: number;
  state?: JournaledState;
  kind?: NativeCallContext["kind"];
  isLocalCall?: boolean;
  sender?: string;
  hasAcceptableSignature?: boolean;
}

function at(setup: At): RecordedCall {
  const { network = local, height = 10, state = emptyState(), kind = "transaction", isLocalCall = false } = setup;
  return recordCall({
    network,
    state,
    block: { number: height },
    transaction: {
      isLocalCall,
      sender: fromHex(setup.sender ?? "22".repeat(20)),
      hasAcceptableSignature: setup.hasAcceptableSignature ?? true,
    },
    call: { kind },
  });
}

function call(data: string, setup: At = {}): string | null {
  const output = contract.execute(fromHex(data), at(setup).context);
  return output === null ? null : toHex(output);
}

function gas(data: string | null, setup: At = {}): number {
  return contract.gas(data === null ? null : fromHex(data), at(setup).context);
}

function stored(state: JournaledState, key: Uint8Array): string | undefined {
  const cell = state.getStorageBytes(BRIDGE_ADDRESS, key);
  return cell === undefined ? undefined : toHex(cell);
}

/** Call data of a method by its signature. */
function encode(signature: string, ...values: Parameters<typeof encodeValues>[1]): string {
  const open = signature.indexOf("(");
  const inputs = signature
    .slice(open + 1, -1)
    .split(",")
    .filter((name) => name !== "");
  const definition = abiFunction(signature.slice(0, open), inputs, []);
  return definition.selector + toHex(encodeValues(definition.inputs, values));
}

describe("bridge method table", () => {
  it("has no method that costs less than the least gas, from the upgrade on that lets contracts call", () => {
    const rules = at({}).context.rules;
    assert(rules.rskip88);
    for (const { gas: own } of BRIDGE_METHODS) if (typeof own === "number") assert(own >= LEAST_GAS);
    assert(gas(encode("receiveHeaders(bytes[])", [])) >= LEAST_GAS);
    assert(gas("00") >= LEAST_GAS && gas(null) >= LEAST_GAS);
    const least = (signature: string) => contract.leastGas!(fromHex(encode(signature)), rules);
    assert.equal(least("getFeePerKb()"), LEAST_GAS);
    assert.equal(least("getNothing()"), LEAST_GAS);
    const confirmations = BRIDGE_METHODS.find((method) => method.gas === "confirmations")!;
    assert.equal(contract.leastGas!(fromHex(confirmations.definition.selector), rules), 0);
    assert.equal(contract.leastGas!(new Uint8Array(0), { ...rules, rskip88: false }), 0);
  });

  it("has 83 methods with distinct selectors", () => {
    assert.equal(BRIDGE_METHODS.length, 83);
    assert.equal(new Set(BRIDGE_METHODS.map((method) => method.definition.selector)).size, 83);
  });

  it("has the selectors of the specification", () => {
    assert.deepEqual(
      BRIDGE_METHODS.map(({ signature, definition }) => `${definition.selector} ${signature}`),
      [
        "ecefd339 addFederatorPublicKey(bytes)",
        "444ff9da addFederatorPublicKeyMultikey(bytes,bytes,bytes)",
        "502bbbce addLockWhitelistAddress(string,int256)",
        "848206d9 addOneOffLockWhitelistAddress(string,int256)",
        "b906c938 addUnlimitedLockWhitelistAddress(string)",
        "f10b9c59 addSignature(bytes,bytes[],bytes)",
        "1533330f commitFederation(bytes)",
        "1183d5d1 createFederation()",
        "14c89c01 getBtcBlockchainBestChainHeight()",
        "4897193f getBtcBlockchainInitialBlockHeight()",
        "cf4ff2d2 getBtcBlockchainBlockLocator()",
        "efd44418 getBtcBlockchainBlockHashAtDepth(int256)",
        "5b644587 getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])",
        "97fcca7d getBtcTxHashProcessedHeight(string)",
        "6923fa85 getFederationAddress()",
        "1b2045ee getFederationCreationBlockNumber()",
        "5e2db9d4 getFederationCreationTime()",
        "802ad4b6 getFederationSize()",
        "0fd47456 getFederationThreshold()",
        "6b89a1af getFederatorPublicKey(int256)",
        "549cfd1c getFederatorPublicKeyOfType(int256,string)",
        "724ec886 getFeePerKb()",
        "93988b76 getLockWhitelistAddress(int256)",
        "251c5f7b getLockWhitelistEntryByAddress(string)",
        "e9e658dc getLockWhitelistSize()",
        "2f8d158f getMinimumLockTxValue()",
        "6ce0ed5a getPendingFederationHash()",
        "3ac72b38 getPendingFederationSize()",
        "492f7c44 getPendingFederatorPublicKey(int256)",
        "c61295d9 getPendingFederatorPublicKeyOfType(int256,string)",
        "47227286 getRetiringFederationAddress()",
        "d905153f getRetiringFederationCreationBlockNumber()",
        "3f0ce9b1 getRetiringFederationCreationTime()",
        "d970b0fd getRetiringFederationSize()",
        "07bbdfc4 getRetiringFederationThreshold()",
        "4675d6de getRetiringFederatorPublicKey(int256)",
        "68bc2b2b getRetiringFederatorPublicKeyOfType(int256,string)",
        "956d9713 getProposedFederationAddress()",
        "06ebeb8c getProposedFederationSize()",
        "fa2df78c getProposedFederationCreationTime()",
        "2b169b23 getProposedFederationCreationBlockNumber()",
        "e3228fab getProposedFederatorPublicKeyOfType(int256,string)",
        "c4fbca20 getStateForBtcReleaseClient()",
        "4c723e89 getStateForSvpClient()",
        "0d0cee93 getStateForDebugging()",
        "3f9db977 getLockingCap()",
        "1d73d5dd getActivePowpegRedeemScript()",
        "177d6e18 getActiveFederationCreationBlockHeight()",
        "2910aeb2 increaseLockingCap(int256)",
        "248a982d isBtcTxHashAlreadyProcessed(string)",
        "e5400e7b receiveHeaders(bytes[])",
        "884bdd86 receiveHeader(bytes)",
        "43dc0656 registerBtcTransaction(bytes,int256,bytes)",
        "80af2871 releaseBtc()",
        "fcdeb46f removeLockWhitelistAddress(string)",
        "8dec3d32 rollbackFederation()",
        "c1cc54f5 setLockWhitelistDisableBlockDelay(int256)",
        "0c5a9990 updateCollections()",
        "0461313e voteFeePerKbChange(int256)",
        "ccf417ae registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)",
        "253b944b hasBtcBlockCoinbaseTransactionInformation(bytes32)",
        "6adc0133 registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)",
        "f0b2424b getBtcBlockchainBestBlockHeader()",
        "739e364a getBtcBlockchainBlockHeaderByHash(bytes32)",
        "bd0c1fff getBtcBlockchainBlockHeaderByHeight(uint256)",
        "e0236724 getBtcBlockchainParentBlockHeaderByHash(bytes32)",
        "e34f834f getNextPegoutCreationBlockNumber()",
        "f4e4f963 getQueuedPegoutsCount()",
        "7817d854 getEstimatedFeesForNextPegOutEvent()",
        "d2b712f4 getEstimatedFeesForPegOutAmount(uint256)",
        "cc55d66f setUnionBridgeContractAddressForTestnet(address)",
        "d3af747c getUnionBridgeContractAddress()",
        "33e08fed getUnionBridgeLockingCap()",
        "a57a0ada increaseUnionBridgeLockingCap(uint256)",
        "5521647a requestUnionBridgeRbtc(uint256)",
        "430462a8 releaseUnionBridgeRbtc()",
        "5fcc6d24 setUnionBridgeTransferPermissions(bool,bool)",
        "f8cfda8e getSuperEvent()",
        "99961ea5 setSuperEvent(bytes)",
        "d2ba1e45 clearSuperEvent()",
        "a25b94cb getBaseEvent()",
        "fe43e2f8 setBaseEvent(bytes)",
        "93e7a33b clearBaseEvent()",
      ],
    );
  });
});

describe("bridge call handling (spec/06a §1)", () => {
  it("ignores invalid data before RSKIP-88 and fails from it on", () => {
    for (const data of ["de", "deadbe", "deadbeef", "6923fa"]) {
      assert.equal(call(data, { network: main, height: BEFORE_ORCHID }), null);
      assert.throws(() => call(data, { network: main, height: ORCHID }), { code: "INVALID_CALL" });
    }
    // Enabled from orchid, from papyrus and until wasabi.
    assert.equal(call("4897193f", { network: main, height: BEFORE_ORCHID }), null);
    assert.throws(() => call("3f9db977", { network: main, height: ORCHID }), { code: "INVALID_CALL" });
    assert.throws(() => call(encode("getFederatorPublicKey(int256)", 0n)), { code: "INVALID_CALL" });
  });

  it("treats undecodable arguments as invalid data", () => {
    assert.throws(() => call("549cfd1c00", { isLocalCall: true }), { code: "INVALID_CALL" });
    assert.equal(gas("549cfd1c00"), 23000);
  });

  it("restricts local-only methods to local calls from RSKIP-88", () => {
    const size = "802ad4b6";
    assert.equal(BigInt(`0x${call(size, { network: main, height: BEFORE_ORCHID })}`), 15n);
    assert.throws(() => call(size, { network: main, height: ORCHID }), { code: "LOCAL_CALL_ONLY" });
    assert.equal(BigInt(`0x${call(size, { network: main, height: ORCHID, isLocalCall: true })}`), 15n);
    assert.throws(() => call("14c89c01", { network: main, height: 3_614_799 }), { code: "LOCAL_CALL_ONLY" });
    assert.ok(call("14c89c01", { network: main, height: 3_614_800 }));
  });

  it("restricts kinds of call by kind of method from RSKIP-417", () => {
    const queued = "f4e4f963";
    for (const kind of ["transaction", "call", "staticcall"] as const) assert.ok(call(queued, { kind }));
    for (const kind of ["delegatecall", "callcode"] as const) {
      assert.throws(() => call(queued, { kind }), { code: "CALL_KIND" });
      assert.ok(call(queued, { network: main, height: ARROWHEAD - 1, kind }));
      assert.throws(() => call(queued, { network: main, height: ARROWHEAD, kind }), { code: "CALL_KIND" });
    }
    assert.throws(() => call("0c5a9990", { kind: "staticcall" }), { code: "CALL_KIND" });
  });

  it("aborts calls by contracts before RSKIP-88", () => {
    assert.throws(() => gas("802ad4b6", { network: main, height: BEFORE_ORCHID, kind: "call" }), {
      code: "TEXTLESS_FAILURE",
    });
    assert.equal(gas("802ad4b6", { network: main, height: ORCHID, kind: "call" }), 10008);
  });

  it("implements every method", () => {
    for (const { definition, signature, until } of BRIDGE_METHODS) {
      const words = definition.inputs.map(() => "0".repeat(64)).join("");
      const when: At = until === undefined ? {} : { network: main, height: ORCHID };
      try {
        call(definition.selector + words, { ...when, isLocalCall: true });
      } catch (error) {
        assert.ok(error instanceof CambiumError, `${signature}: ${error}`);
      }
    }
  });
});

describe("bridge gas (spec/06a §3)", () => {
  it("charges for the method and its data", () => {
    assert.equal(gas(null), 23000);
    assert.equal(gas("80af2871"), 23008);
    assert.equal(gas("deadbeef00000000"), 23000);
    assert.equal(gas("0d0cee93"), 3_000_008);
    assert.equal(gas("f4e4f963"), 3008);
  });

  it("charges for the number of headers", () => {
    const data = (count: number): string =>
      encode(
        "receiveHeaders(bytes[])",
        Array.from({ length: count }, () => new Uint8Array(80)),
      );
    const cases: [NetworkConfig, number, number, number][] = [
      [main, 1_590_999, 5, 22000],
      [test, 43_549, 1, 66000],
      [test, 43_549, 5, 66000 + 4 * 1650],
      [test, 43_550, 5, 25000 + 4 * 3500],
      [main, 1_591_000, 0, 25000],
      [local, 1, 3, 25000 + 2 * 3500],
    ];
    for (const [network, height, count, expected] of cases) {
      const bytes = data(count);
      assert.equal(gas(bytes, { network, height }), expected + bytes.length, `${network.name} ${height}`);
    }
  });

  it("is zero for federators and authorizers while their transactions are free", () => {
    const federator = "6b045752f4d650a510a353bbf7e52988331e7f5b";
    const authorizers = [
      "5252403bca6ac3c104abdd320a736fa38282045d",
      "53f8f6dabd612b6137215ddd7758bb5cdd638922",
      "87d2a0f33744929da08b65fd62b627ea52b25f8e",
    ];
    for (const sender of [federator, ...authorizers]) assert.equal(gas("0c5a9990", { sender }), 0);
    assert.equal(gas("0c5a9990", { sender: federator, kind: "call" }), 48008);
    assert.equal(gas("0c5a9990", { sender: federator, hasAcceptableSignature: false }), 48008);
    // Locking-cap authorizers pay.
    assert.equal(gas("0c5a9990", { sender: "6913bd4715eff3b25501f3212f15df38296d1f21" }), 48008);
    const first = "1888fa870b97a4845a6a1f7eee4ebb507dbe0967";
    assert.equal(gas("0c5a9990", { network: main, height: 369_999, sender: first }), 0);
    assert.equal(gas("0c5a9990", { network: main, height: 370_000, sender: first }), 48008);
  });
});

describe("bridge storage (spec/06a §5, §9)", () => {
  it("derives compound cells", () => {
    const hash = "11".repeat(32);
    assert.equal(
      toHex(compoundCell("btcTxHashAP", hash)),
      "842c68a97186b286d4966e75ad10917f1ce63d189bb749c14c6ac967fd69dc18",
    );
    assert.equal(
      toHex(compoundCell("coinbaseInformation", hash)),
      "95f39ae94f1fca6c18f4934a988e51ec0f544781188c044bc2a413565b99f40a",
    );
    const height = compoundCell("btcBlockHeight", "100");
    assert.equal(toHex(height), "97c5da5f1c2f78ba48b16291150c57d3b3170ffe7e45b95ad88680d4a9c8f9fa");
    assert.equal(
      toHex(cellKey(accountKey(BRIDGE_ADDRESS), height)),
      "00da41108c1d1e6cb267240000000000000000000000000000000001000006001ced884f02c49079394997c5da5f1c2f78ba48b16291150c57d3b3170ffe7e45b95ad88680d4a9c8f9fa",
    );
  });

  it("has the state keys of §9.4", () => {
    const keys: Record<string, string> = {
      newFederation: "fa4bcb21a9c7ad954d196e657746656465726174696f6e",
      oldFederation: "c7b9bb76b4572f23a1a66f6c6446656465726174696f6e",
      pendingFederation: "35c78b7416c33605a81e70656e64696e6746656465726174696f6e",
      proposedFederation: "15a9600a5ecbd4e7a5dc70726f706f73656446656465726174696f6e",
      newFederationFormatVersion: "0f5f03f387835f3c68dc6e657746656465726174696f6e466f726d617456657273696f6e",
      oldFederationFormatVersion: "2d3f8ca07991ccd9baa86f6c6446656465726174696f6e466f726d617456657273696f6e",
      newFederationUtxos: "21667b24ee2bd06aa44f6e657746656465726174696f6e4274635554584f73",
      oldFederationUtxos: "7f1e547d6ed11782e09a6f6c6446656465726174696f6e4274635554584f73",
      chainHead: "d2a466bdac61533a723a626c6f636b53746f7265436861696e48656164",
      feePerKb: "aaff9aceb024883f32ec6665655065724b62",
      lockingCap: "4af3b3243c7832b55df96c6f636b696e67436170",
      releaseQueue: "ecd35685a77a3a89667472656c65617365526571756573745175657565",
      unconfirmedReleases: "54ad5ca7e890d360f21c72656c656173655472616e73616374696f6e536574",
      waitingForSignatures: "fdb052b75b473633317072736b54787357616974696e674653",
    };
    for (const [name, rest] of Object.entries(keys)) {
      const key = toHex(cellKey(accountKey(BRIDGE_ADDRESS), CELLS[name as keyof typeof CELLS]));
      assert.equal(key, `00da41108c1d1e6cb26724000000000000000000000000000000000100000600${rest}`, name);
    }
    assert.deepEqual(namedCell("newFederation"), CELLS.newFederation);
  });

  it("encodes the empty debug state (§9.3)", () => {
    const output = call("0d0cee93", { isLocalCall: true })!;
    assert.equal(
      output,
      `${"20".padStart(64, "0")}${"c".padStart(64, "0")}${"cb8081c081c081c081c08180".padEnd(64, "0")}`,
    );
  });

  it("creates the cells that a view method loaded (§8, quirk 11)", () => {
    const state = emptyState();
    call("f4e4f963", { state, kind: "staticcall" });
    assert.equal(stored(state, CELLS.releaseQueue), "c0");
    assert.equal(stored(state, CELLS.releaseQueueWithHash), "c0");
    call("e34f834f", { state });
    assert.equal(stored(state, CELLS.nextPegOutHeight), "80");
    assert.equal(BigInt(`0x${call("7817d854", { state })}`), 43000n);
    assert.equal(stored(state, CELLS.newFederationUtxos), "c0");
    call("177d6e18", { state });
    assert.equal(stored(state, CELLS.activeFederationCreationHeight), undefined);
  });

  it("converts a federation of single keys only if a successful call read it", () => {
    const federation: Federation = {
      format: 1000,
      creationTimeMillis: 1_500_000_000_000n,
      creationBlock: 7,
      members: sortMembers(
        main.bridge.genesisFederation.publicKeys.slice(0, 3).map((key) => ({ btc: key, rsk: key, mst: key })),
      ),
    };
    const state = emptyState();
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.newFederation, encodeFederation(federation, false));
    const before = stored(state, CELLS.newFederation);
    assert.throws(() =>
      call(encode("getFederatorPublicKeyOfType(int256,string)", 3n, "btc"), { state, isLocalCall: true }),
    );
    assert.equal(stored(state, CELLS.newFederation), before);
    call("1d73d5dd", { state });
    assert.equal(stored(state, CELLS.newFederationFormatVersion), "8203e8");
    assert.equal(stored(state, CELLS.newFederation), toHex(encodeFederation(federation, true)));
    const version = state.getStorageBytes(BRIDGE_ADDRESS, CELLS.newFederationFormatVersion);
    assert.deepEqual(
      decodeFederation(state.getStorageBytes(BRIDGE_ADDRESS, CELLS.newFederation)!, version),
      federation,
    );
  });

  it("stores the initial locking cap when it is first read", () => {
    const state = emptyState();
    assert.equal(BigInt(`0x${call("3f9db977", { state, isLocalCall: true })}`), 100_000_000_000n);
    assert.equal(stored(state, CELLS.lockingCap), toHex(encodeRlp(fromHex("174876e800"))));
  });

  it("creates both whitelists", () => {
    const state = emptyState();
    assert.equal(call("e9e658dc", { state, isLocalCall: true }), "0".repeat(64));
    assert.equal(stored(state, CELLS.whitelist), "c5847fffffff");
    assert.equal(stored(state, CELLS.unlimitedWhitelist), "c0");
  });
});

describe("parent-chain store (spec/06b-1 §3)", () => {
  const genesisHash: Record<string, string> = {
    main: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
    test: "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
    regtest: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
  };

  it("has the genesis blocks and checkpoints", () => {
    for (const [name, parameters] of Object.entries(PARENT_CHAINS)) {
      assert.equal(toHex(parentBlockHash(parameters.genesis.header)), genesisHash[name]);
    }
    const hashes = [...PARENT_CHAINS.main.checkpoints, ...PARENT_CHAINS.test.checkpoints].map(({ header }) =>
      toHex(parentBlockHash(header)),
    );
    assert.equal(hashes[0], "000000000000000000296e10eb4987c4eb9b7ba0841102dec4480e5d6b89acb5");
    assert.equal(hashes[1], "000000000000001aa547c01c17edae35e21dd63fd7e6627daedf997bd3a54627");
  });

  it("opens with genesis, then the checkpoint before the federation, keeping genesis", () => {
    const cases: [NetworkConfig, number, number, boolean][] = [
      [main, 3_614_800, 499_968, false],
      [test, 2_060_500, 1_413_216, false],
      [test, 6_110_487, 1_413_216, true],
      [local, 5, 0, true],
    ];
    for (const [network, height, head, wide] of cases) {
      const state = emptyState();
      assert.equal(BigInt(`0x${call("14c89c01", { network, height, state })}`), BigInt(head));
      assert.equal(stored(state, fromHex(genesisHash[network.parentChain]!))!.length, wide ? 232 : 192);
      const top = decodeStoredBlock(state.getStorageBytes(BRIDGE_ADDRESS, CELLS.chainHead)!);
      assert.equal(top.height, head);
      assert.equal(stored(state, parentBlockHash(top.header)), stored(state, CELLS.chainHead));
      const index = stored(state, compoundCell("btcBlockHeight", String(head)));
      assert.equal(index, `a0${toHex(parentBlockHash(top.header))}`);
      assert.equal(stored(state, compoundCell("btcBlockHeight", "0")), `a0${genesisHash[network.parentChain]}`);
    }
  });

  it("keeps the blocks but not the index if the call that opened it fails", () => {
    const state = emptyState();
    assert.throws(() => call(encode("getBtcBlockchainBlockHashAtDepth(int256)", 1n), { state, isLocalCall: true }));
    assert.ok(stored(state, CELLS.chainHead));
    assert.equal(stored(state, compoundCell("btcBlockHeight", "0")), undefined);
  });

  it("saves the index if computing the gas opened it", () => {
    const state = emptyState();
    const { context } = at({ state });
    const hash = new Uint8Array(32);
    const data = fromHex(
      encode("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])", hash, hash, 0n, []),
    );
    assert.equal(contract.gas(data, context), 27000 + 2 * data.length);
    assert.equal(toHex(contract.execute(data, context)!), "f".repeat(64));
    assert.ok(stored(state, compoundCell("btcBlockHeight", "0")));
  });

  it("accepts any cell's address and decodes a cell that is long enough as a block", () => {
    const state = emptyState();
    const header = (key: Uint8Array): string =>
      call(encode("getBtcBlockchainBlockHeaderByHash(bytes32)", key), { state })!;
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.feePerKb, fromHex("824e20"));
    assert.equal(header(CELLS.feePerKb), EMPTY_OUTPUT);
    state.setStorageBytes(
      BRIDGE_ADDRESS,
      CELLS.superEvent,
      Uint8Array.from({ length: 128 }, (_, i) => i),
    );
    const expected = toHex(Uint8Array.from({ length: 80 }, (_, i) => i + 36));
    assert.ok(header(CELLS.superEvent).includes(expected));
    assert.equal(header(CELLS.baseEvent), EMPTY_OUTPUT);
  });

  it("writes and reads both forms of a stored block", () => {
    const parts = fc
      .tuple(fc.bigInt(0n, (1n << 96n) - 1n), fc.nat(), fc.uint8Array({ minLength: 80, maxLength: 80 }))
      .map(([work, height, header]) => ({ work, height, header }));
    fc.assert(
      fc.property(parts, fc.boolean(), (block, wide) => {
        assert.deepEqual(decodeStoredBlock(encodeStoredBlock(block, wide)), block);
      }),
    );
  });
});

describe("federation scripts", () => {
  const file = vectorPath("bridge", "federation-scripts.json");
  interface Row {
    kind: string;
    network: string;
    memberBtcKeys: string[];
    redeemScript: string;
    outputScript?: string;
    address: string;
    formatVersion?: number;
  }

  it("match the reference", () => {
    const networks: Record<string, NetworkConfig> = {
      "org.bitcoin.production": main,
      "org.bitcoin.test": test,
      "org.bitcoin.regtest": local,
    };
    const formats: [RegExp, Federation["format"]][] = [
      [/^standard/i, 1000],
      [/non-?standard/i, 2000],
      [/p2wsh/i, 4000],
      [/p2sh/i, 3000],
    ];
    const { federations } = JSON.parse(readFileSync(file, "utf8")) as { federations: Row[] };
    for (const row of federations) {
      const network = networks[row.network]!;
      const format = formats.find(([pattern]) => pattern.test(row.kind))![1];
      const members = sortMembers(row.memberBtcKeys.map(fromHex).map((btc) => ({ btc, rsk: btc, mst: btc })));
      const federation = { format, creationTimeMillis: 0n, creationBlock: 1, members };
      const rules = rulesAt(network, 9_000_000);
      assert.equal(toHex(redeemScript(federation, network, rules)), row.redeemScript, row.kind);
      assert.equal(federationAddress(federation, network, rules), row.address, row.kind);
      if (row.outputScript !== undefined) {
        assert.equal(`a914${toHex(scriptHash(federation, network, rules))}87`, row.outputScript);
      }
    }
  });

  it("rejects a script above the limit", () => {
    const keys = Array.from({ length: 20 }, (_, i) => utf8(`key ${i}`.padEnd(33)));
    const members = keys.map((btc) => ({ btc, rsk: btc, mst: btc }));
    const federation = { format: 3000, creationTimeMillis: 0n, creationBlock: 1, members } as const;
    assert.throws(() => redeemScript(federation, main, rulesAt(main, 9_000_000)), { code: "SCRIPT_SIZE" });
  });

  it("returns -1 or an empty result if there is no federation", () => {
    assert.equal(call("d970b0fd", { isLocalCall: true }), "f".repeat(64));
    assert.equal(call("47227286", { isLocalCall: true }), EMPTY_OUTPUT);
    const key = encode("getProposedFederatorPublicKeyOfType(int256,string)", 0n, "btc");
    assert.equal(call(key, { isLocalCall: true }), EMPTY_OUTPUT);
    const unknown = encode("getProposedFederatorPublicKeyOfType(int256,string)", 0n, "xyz");
    assert.throws(() => call(unknown, { isLocalCall: true }), { code: "METHOD_FAILED" });
  });
});
