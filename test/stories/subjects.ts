import { BRIDGE_CELLS } from "@cambium/bridge";
import { BRIDGE_ADDRESS } from "@cambium/config";
import { concatBytes, fromHex, hash160, secp256k1, utf8 } from "@cambium/primitives";
import { Block, crypto as hashes, payments, script as scripts, Transaction } from "bitcoinjs-lib";
import { LIFE_CYCLES } from "./life-cycles.js";
import { AUTHORIZERS, FEDERATORS, PegStory, payment, REGTEST_GENESIS, signer, USER } from "./peg-story.js";

const SATOSHI = 10n ** 10n;
const COIN = 100_000_000;
const [FEDERATOR] = FEDERATORS as [(typeof FEDERATORS)[number]];

/** A chain of headers; `mark` distinguishes branches. */
function branch(from: Buffer, length: number, mark: number): Buffer[] {
  const headers: Buffer[] = [];
  for (let i = 0; i < length; i++) {
    const block = new Block();
    block.version = 1;
    block.prevHash = hashes.hash256(headers.at(-1) ?? from);
    block.merkleRoot = Buffer.alloc(32, mark);
    block.bits = 0x207fffff;
    while (!block.checkProofOfWork()) block.nonce++;
    headers.push(block.toBuffer(true));
  }
  return headers;
}

function embedded(hex: string): Buffer {
  return payments.embed({ data: [Buffer.from(hex, "hex")] }).output!;
}

async function headerChain(): Promise<PegStory> {
  const story = new PegStory("header-chain", "regtest", 2000);
  const deliver = (headers: readonly Buffer[]) => story.call(FEDERATOR, "receiveHeaders(bytes[])", [headers]);
  const look = () => {
    story.ask("getBtcBlockchainBestChainHeight()");
    story.ask("getBtcBlockchainBestBlockHeader()");
    story.ask("getBtcBlockchainBlockHeaderByHeight(uint256)", 12n);
    story.mine();
  };
  const trunk = branch(Buffer.from(REGTEST_GENESIS, "hex"), 20, 1);
  deliver(trunk);
  look();
  const rival = branch(trunk[9]!, 14, 2);
  deliver(rival.slice(0, 10));
  look();
  deliver(rival.slice(10));
  look();
  deliver(branch(Buffer.alloc(80, 9), 2, 3));
  deliver([trunk[0]!, rival[3]!]);
  const unsolved = Buffer.from(rival.at(-1)!);
  unsolved.writeUInt32LE(0x1d00ffff, 72);
  deliver([unsolved]);
  deliver([Buffer.alloc(79)]);
  story.call(USER, "receiveHeaders(bytes[])", [[rival[0]!]]);
  look();
  const next = branch(rival.at(-1)!, 3, 4);
  for (const header of [next[0]!, next[0]!, next[2]!]) {
    story.call(USER, "receiveHeader(bytes)", [header]);
    story.mine({ skip: 3 });
  }
  story.call(USER, "receiveHeader(bytes)", [next[1]!]);
  story.mine({ skip: 40 });
  look();
  story.ask("getBtcBlockchainBlockHeaderByHash(bytes32)", Buffer.from(hashes.hash256(next[0]!)).reverse());
  story.ask("getBtcBlockchainParentBlockHeaderByHash(bytes32)", Buffer.from(hashes.hash256(next[0]!)).reverse());
  story.mine();
  return story;
}

async function pegIns(): Promise<PegStory> {
  const story = new PegStory("peg-in-legacy", "regtest", 2000);
  const { output } = story.federation(FEDERATORS);
  await story.parent.mine(20);
  const transactions = [
    payment(USER, [[output, COIN]], 1),
    payment(USER, [[output, 499_999]], 2),
    payment(
      USER,
      [
        [output, COIN],
        [embedded(`52534b5401${"5a".repeat(20)}`), 0],
      ],
      3,
    ),
    payment(
      USER,
      [
        [output, COIN],
        [embedded(`52534b5402${"5a".repeat(20)}`), 0],
      ],
      4,
    ),
    payment(
      USER,
      [
        [output, COIN],
        [output, 2 * COIN],
      ],
      5,
    ),
    payment(USER, [[Buffer.from("0014", "hex"), COIN]], 6),
    payment(
      USER,
      [
        [output, 900 * COIN],
        [output, 101 * COIN],
      ],
      7,
    ),
  ];
  for (const transaction of transactions) story.register(await story.parent.include(transaction));
  const proof = await story.parent.include(transactions[0]!);
  story.register(proof);
  story.register({ ...proof, height: proof.height + 1 });
  story.register({ ...proof, raw: proof.raw.subarray(1) });
  story.register(await story.parent.include(payment(USER, [[output, COIN]], 8)), USER);
  story.call(FEDERATOR, "updateCollections()");
  story.mine({ skip: 100 });
  return story;
}

async function witnessPegIns(): Promise<PegStory> {
  const story = new PegStory("peg-in-witness", "regtest", 3000);
  const { output } = story.federation(FEDERATORS);
  await story.parent.mine(400);
  for (let salt = 1; salt <= 4; salt++) {
    const transaction = payment(USER, [[output, salt * COIN]], salt);
    const input = transaction.ins[0]!;
    const program = Buffer.concat([Buffer.of(0, 20), hash160(USER.compressed)]);
    input.script = salt === 3 ? Buffer.alloc(0) : scripts.compile([program]);
    input.witness = [Buffer.alloc(71, 0x30), Buffer.from(USER.compressed)];
    if (salt === 2) transaction.addOutput(embedded(`52534b5401${"5b".repeat(20)}`), 0);
    const proof = await story.parent.include(transaction);
    if (salt === 4) story.register({ ...proof, coinbase: undefined });
    story.register(proof);
    story.ask("hasBtcBlockCoinbaseTransactionInformation(bytes32)", proof.coinbase!.blockHash);
    story.mine();
  }
  return story;
}

/** A peg-out: the federation's coins, the request, its confirmation, and the members' signatures. */
async function pegOut(): Promise<PegStory> {
  const story = new PegStory("peg-out", "regtest", 4000);
  const { output, redeem } = story.federation(FEDERATORS);
  await story.parent.mine(400);
  story.register(await story.parent.include(payment(USER, [[output, 3 * COIN]], 1)));
  story.send(USER, { to: BRIDGE_ADDRESS, value: 50_000_000n * SATOSHI });
  story.call(USER, "releaseBtc()", [], 25_000_000n * SATOSHI);
  story.mine();
  story.ask("getQueuedPegoutsCount()");
  story.ask("getEstimatedFeesForNextPegOutEvent()");
  story.ask("getNextPegoutCreationBlockNumber()");
  story.mine();
  story.call(FEDERATOR, "updateCollections()");
  story.mine({ skip: 400 });
  story.call(FEDERATOR, "updateCollections()");
  story.mine({ skip: 10 });
  const [id, encoded] = story.list(BRIDGE_CELLS.waitingForSignatures) as [Uint8Array, Uint8Array];
  const transaction = Transaction.fromBuffer(Buffer.from(encoded));
  const hash = transaction.hashForWitnessV0(0, redeem, 3 * COIN, Transaction.SIGHASH_ALL);
  for (const by of [FEDERATORS[2]!, FEDERATORS[2]!, USER, FEDERATOR, FEDERATORS[1]!]) {
    const signature = scripts.signature
      .encode(signatureOf(hash, by.privateKey), Transaction.SIGHASH_ALL)
      .subarray(0, -1);
    story.call(by, "addSignature(bytes,bytes[],bytes)", [by.compressed, [signature], id]);
    story.mine();
  }
  story.call(FEDERATOR, "addSignature(bytes,bytes[],bytes)", [FEDERATOR.compressed, [fromHex("3000")], id]);
  story.mine();
  for (const input of transaction.ins) input.witness = [Buffer.alloc(0), Buffer.alloc(70, 0x30), redeem];
  story.register(await story.parent.include(transaction));
  return story;
}

function signatureOf(hash: Uint8Array, privateKey: Uint8Array): Buffer {
  return Buffer.from(secp256k1.sign(hash, privateKey).signature);
}

async function refunds(): Promise<PegStory> {
  const story = new PegStory("failures-and-refunds", "regtest", 5000);
  for (const value of [1n, SATOSHI, 249_999n * SATOSHI, 250_000n * SATOSHI + 1n]) {
    story.send(USER, { to: BRIDGE_ADDRESS, value });
    story.mine();
  }
  story.call(USER, "releaseBtc()", [], 300_000n * SATOSHI, fromHex("c0".repeat(20)));
  for (const data of ["01", "ffffffff", "cd0d4b7a", "43dc0656", `43dc0656${"ff".repeat(96)}`]) {
    story.send(USER, { to: BRIDGE_ADDRESS, data: fromHex(data) });
  }
  story.send(USER, { to: BRIDGE_ADDRESS, data: fromHex("0c5a9990"), gasLimit: 50_000n });
  story.send(USER, { to: BRIDGE_ADDRESS, data: fromHex("0c5a9990"), gasLimit: 21_000n });
  story.send(signer("penniless"), { to: BRIDGE_ADDRESS, value: 1n });
  story.mine();
  story.call(FEDERATOR, "updateCollections()");
  story.mine({ skip: 1000 });
  return story;
}

async function federationChange(): Promise<PegStory> {
  const story = new PegStory("federation-change", "regtest", 6000);
  const { output } = story.federation(FEDERATORS);
  await story.parent.mine(20);
  story.register(await story.parent.include(payment(USER, [[output, 5 * COIN]], 1)));
  story.vote("createFederation()", [], 1);
  story.call(USER, "createFederation()");
  story.vote("createFederation()");
  story.vote("rollbackFederation()");
  story.vote("createFederation()");
  const members = ["successor1", "successor2", "successor3"].map(signer);
  story.nominate(members);
  story.ask("getPendingFederationSize()");
  story.ask("getPendingFederationHash()");
  story.commit(members);
  story.mine();
  for (const skip of [0, 10, 200, 20, 400, 50]) {
    story.call(FEDERATOR, "updateCollections()");
    story.mine({ skip });
    for (const getter of ["getFederationSize()", "getProposedFederationSize()", "getRetiringFederationSize()"])
      story.ask(getter);
    story.ask("getActivePowpegRedeemScript()");
    story.ask("getStateForSvpClient()");
    story.mine();
  }
  return story;
}

async function votes(): Promise<PegStory> {
  const story = new PegStory("fee-and-cap-votes", "main", 3_700_000);
  for (const value of [150_000n, 0n, -1n, 10_000_000_000n]) {
    for (const by of AUTHORIZERS.feePerKb.slice(0, 2)) story.call(by, "voteFeePerKbChange(int256)", [value]);
    story.mine();
  }
  story.call(USER, "voteFeePerKbChange(int256)", [120_000n]);
  const [cap] = AUTHORIZERS.lockingCap as [typeof USER];
  for (const value of [30_000_000_000n, 40_000_000_000n, 200_000_000_000n, 0n, 1n]) {
    story.call(cap, "increaseLockingCap(int256)", [value]);
    story.mine({ skip: 10 });
  }
  story.call(USER, "increaseLockingCap(int256)", [50_000_000_000n]);
  story.ask("getFeePerKb()");
  story.ask("getLockingCap()");
  story.mine({ skip: 2_000_000 });
  return story;
}

async function whitelist(): Promise<PegStory> {
  const story = new PegStory("lock-whitelist", "main", 600_000);
  const [by] = AUTHORIZERS.whitelist as [typeof USER];
  const addresses = ["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "nonsense"];
  for (const address of addresses) {
    story.call(by, "addOneOffLockWhitelistAddress(string,int256)", [address, 500_000_000n]);
    story.call(by, "addUnlimitedLockWhitelistAddress(string)", [address]);
    story.call(USER, "addUnlimitedLockWhitelistAddress(string)", [address]);
    story.call(by, "addLockWhitelistAddress(string,int256)", [address, 1n]);
    story.mine();
  }
  story.call(by, "removeLockWhitelistAddress(string)", [addresses[0]!]);
  story.call(by, "removeLockWhitelistAddress(string)", [addresses[0]!]);
  story.call(by, "addUnlimitedLockWhitelistAddress(string)", [addresses[0]!]);
  story.mine({ skip: 5 });
  for (const delay of [-1n, 20_000n, 100n]) {
    story.call(by, "setLockWhitelistDisableBlockDelay(int256)", [delay]);
    story.mine();
  }
  for (const signature of ["getLockWhitelistSize()", "getFeePerKb()"]) story.ask(signature);
  story.mine({ skip: 3_000_000 });
  return story;
}

/** Patches the cells of the block store, because parent blocks of the main network cannot be mined. */
async function patchedParent(): Promise<PegStory> {
  const story = new PegStory("patched-parent-chain", "testnet", 4_000_000);
  const transaction = payment(USER, [[Buffer.from(`a914${"11".repeat(20)}87`, "hex"), COIN]], 1);
  const headers = [transaction.getHash(), Buffer.alloc(32, 2), Buffer.alloc(32, 3)].reduce<Buffer[]>(
    (line, merkleRoot, i) => {
      const block = new Block();
      block.version = 0x20000000;
      block.prevHash = line.length === 0 ? Buffer.alloc(32, 7) : hashes.hash256(line.at(-1)!);
      block.merkleRoot = merkleRoot;
      block.timestamp = 1_650_000_000 + i * 600;
      block.bits = 0x1d00ffff;
      return line.concat(block.toBuffer(true));
    },
    [],
  );
  const stored = headers.map((header, i) =>
    concatBytes(fromHex("010000400000000000000000"), fromHex("0027ad10"), header).map((byte, at) =>
      at === 15 ? byte + i : at === 11 ? i : byte,
    ),
  );
  const patches = stored.map(
    (cell, i) => [Buffer.from(hashes.hash256(headers[i]!)).reverse(), cell] as [Uint8Array, Uint8Array],
  );
  patches.push([BRIDGE_CELLS.chainHead, stored.at(-1)!]);
  story.ask("getBtcBlockchainBestChainHeight()");
  story.mine({ patches });
  const tree = concatBytes(fromHex("0100000001"), transaction.getHash(), fromHex("0101"));
  story.register({ raw: transaction.toBuffer(), height: 0x27ad10, tree: Buffer.from(tree) });
  const hash = Buffer.from(hashes.hash256(headers[0]!)).reverse();
  story.ask("getBtcBlockchainBestBlockHeader()");
  story.ask("getBtcBlockchainBlockHeaderByHash(bytes32)", hash);
  story.ask("getBtcBlockchainParentBlockHeaderByHash(bytes32)", hash);
  story.ask(
    "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])",
    Buffer.from(transaction.getHash()).reverse(),
    hash,
    0n,
    [],
  );
  story.mine({ skip: 3_000_000 });
  story.call(USER, "receiveHeader(bytes)", [headers[2]!]);
  story.mine({ patches: [[BRIDGE_CELLS.chainHead, null]] });
  return story;
}

async function union(): Promise<PegStory> {
  const story = new PegStory("union-bridge", "regtest", 7000);
  const contract = fromHex("c0".repeat(20));
  story.call(USER, "setUnionBridgeContractAddressForTestnet(address)", [contract]);
  story.ask("getUnionBridgeContractAddress()");
  story.ask("getUnionBridgeLockingCap()");
  story.ask("requestUnionBridgeRbtc(uint256)", 10n ** 18n);
  story.call(USER, "requestUnionBridgeRbtc(uint256)", [10n ** 18n]);
  story.call(USER, "releaseUnionBridgeRbtc()", [], 10n ** 17n);
  for (const by of AUTHORIZERS.unionContractAddress) {
    story.call(by, "setUnionBridgeContractAddressForTestnet(address)", [contract]);
  }
  for (const by of AUTHORIZERS.unionLockingCap) story.call(by, "increaseUnionBridgeLockingCap(uint256)", [10n ** 21n]);
  story.mine();
  for (const request of [10n ** 18n, 10n ** 23n, 0n]) story.ask("requestUnionBridgeRbtc(uint256)", request);
  story.call(USER, "releaseUnionBridgeRbtc()", [], 10n ** 17n, contract);
  story.mine();
  story.call(USER, "setUnionBridgeTransferPermissions(bool,bool)", [true, false]);
  story.call(USER, "increaseUnionBridgeLockingCap(uint256)", [10n ** 21n]);
  story.call(USER, "setSuperEvent(bytes)", [utf8("super")]);
  story.ask("setBaseEvent(bytes)", utf8("base"));
  story.ask("getSuperEvent()");
  story.ask("getBaseEvent()");
  story.mine();
  const zero = new Uint8Array(32);
  const flyover = "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)";
  story.call(USER, flyover, [fromHex("00"), 1n, fromHex("00"), zero, fromHex("00"), contract, fromHex("00"), true]);
  story.ask(flyover, fromHex("00"), 1n, fromHex("00"), zero, fromHex("00"), contract, fromHex("00"), true);
  story.mine();
  return story;
}

/** Every story, by subject. */
export const SUBJECTS: readonly (() => Promise<PegStory>)[] = [
  headerChain,
  pegIns,
  witnessPegIns,
  pegOut,
  refunds,
  federationChange,
  votes,
  whitelist,
  patchedParent,
  union,
  ...LIFE_CYCLES,
];
