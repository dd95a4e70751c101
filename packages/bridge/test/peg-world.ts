import { BRIDGE_ADDRESS, local, type NetworkConfig } from "@cambium/config";
import { DatabaseError } from "@cambium/database";
import { sha256d } from "@cambium/merged-mining";
import {
  type AbiValue,
  abiFunction,
  bytesToBigint,
  CambiumError,
  concatBytes,
  encodeValues,
  fromHex,
  keccak256,
  publicKeyToAddress,
  reverseBytes,
  secp256k1,
  utf8,
} from "@cambium/primitives";
import { isNodeFailure, type JournaledState, type NativeContract } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import type { Log } from "@cambium/types";
import { PARENT_CHAINS } from "../src/bitcoin/parent-chains.js";
import {
  encodeStripped,
  encodeTransaction,
  type ParentTransaction,
  transactionId,
} from "../src/bitcoin/transaction.js";
import { createBridgeContract } from "../src/index.js";
import { decodeUtxos, type Utxo } from "../src/model/utxo.js";
import { CELLS } from "../src/storage/cells.js";

/** A signer whose private key is the hash of a name. */
export interface Signer {
  privateKey: Uint8Array;
  key: Uint8Array;
  address: Uint8Array;
}

export function signer(name: string): Signer {
  const privateKey = keccak256(utf8(name));
  const key = secp256k1.publicKey(privateKey);
  return { privateKey, key, address: publicKeyToAddress(key) };
}

export function compressed({ key }: Signer): Uint8Array {
  return Uint8Array.of(2 + (key[63]! & 1), ...key.subarray(0, 32));
}

export const FEDERATOR = signer("federator1");

const METHODS = {
  receiveHeaders: abiFunction("receiveHeaders", ["bytes[]"], []),
  registerBtcTransaction: abiFunction("registerBtcTransaction", ["bytes", "int256", "bytes"], []),
  registerBtcCoinbaseTransaction: abiFunction(
    "registerBtcCoinbaseTransaction",
    ["bytes", "bytes32", "bytes", "bytes32", "bytes32"],
    [],
  ),
  updateCollections: abiFunction("updateCollections", [], []),
  addOneOffLockWhitelistAddress: abiFunction("addOneOffLockWhitelistAddress", ["string", "int256"], ["int256"]),
  addSignature: abiFunction("addSignature", ["bytes", "bytes[]", "bytes"], []),
} as const;

const FLYOVER = abiFunction(
  "registerFastBridgeBtcTransaction",
  ["bytes", "uint256", "bytes", "bytes32", "bytes", "address", "bytes", "bool"],
  ["int256"],
);

/** A bridge with its own chain and a parent chain that is mined as needed. */
export class PegWorld {
  readonly state: JournaledState = emptyState();
  block = 1;
  private calls = 0;
  private head = PARENT_CHAINS.regtest.genesis.header;
  parentHeight = 0;

  private readonly contract: NativeContract;

  constructor(private readonly network: NetworkConfig = local) {
    this.contract = createBridgeContract();
    this.state.addBalance(BRIDGE_ADDRESS, 21_000_000n * 10n ** 18n);
  }

  /** Makes a direct call; returns undefined if it fails. As in a transaction, the value moves after the call. */
  call(data: Uint8Array, from: Signer, value = 0n): readonly Log[] | undefined {
    const { context, logs } = recordCall({
      network: this.network,
      state: this.state,
      block: { number: this.block, timestamp: BigInt(this.block) },
      transaction: { sender: from.address, signerKey: () => from.key, hash: keccak256(utf8(`call ${this.calls++}`)) },
      call: { value },
    });
    const memory = data.slice();
    try {
      this.contract.execute(memory.length === 0 ? null : memory, context);
    } catch (error) {
      if (error instanceof CambiumError && !isNodeFailure(error)) return undefined;
      throw error;
    } finally {
      // The data of a call are the caller's memory, which changes afterwards.
      memory.fill(0xa5);
    }
    this.state.transfer(from.address, BRIDGE_ADDRESS, value);
    return logs;
  }

  /** Makes a call from a contract, whose value moves first. Returns the output. */
  callByContract(data: Uint8Array, from: Uint8Array, value: bigint): Uint8Array {
    const { context } = recordCall({
      network: this.network,
      state: this.state,
      block: { number: this.block },
      transaction: { hash: keccak256(utf8(`call ${this.calls++}`)) },
      call: { kind: "call", caller: from, value },
    });
    this.state.transfer(from, BRIDGE_ADDRESS, value);
    const memory = data.slice();
    const output = this.contract.execute(memory, context)!;
    memory.fill(0xa5);
    return output;
  }

  /** A flyover registration by a contract. */
  flyover(from: Uint8Array, args: readonly AbiValue[]): bigint {
    const data = concatBytes(fromHex(FLYOVER.selector), encodeValues(FLYOVER.inputs, args));
    return BigInt.asIntN(256, bytesToBigint(this.callByContract(data, from, 0n)));
  }

  method(name: keyof typeof METHODS, ...args: AbiValue[]): readonly Log[] | undefined {
    return this.methodBy(FEDERATOR, name, ...args);
  }

  methodBy(from: Signer, name: keyof typeof METHODS, ...args: AbiValue[]): readonly Log[] | undefined {
    const { selector, inputs } = METHODS[name];
    return this.call(concatBytes(fromHex(selector), encodeValues(inputs, args)), from);
  }

  /** Mines parent blocks, the first one with this Merkle root, and submits them to the bridge. */
  mine(root: Uint8Array, count: number): void {
    const headers = Array.from({ length: count }, (_, i) => this.mineOne(i === 0 ? root : new Uint8Array(32)));
    this.method("receiveHeaders", headers);
    this.parentHeight += count;
  }

  private mineOne(root: Uint8Array): Uint8Array {
    const header = new Uint8Array(80);
    header.set(Uint8Array.of(1), 0);
    header.set(sha256d(this.head), 4);
    header.set(root, 36);
    header.set(fromHex("ffff7f20"), 72);
    for (let nonce = 0; sha256d(header)[31]! >= 0x7f; nonce++) new DataView(header.buffer).setUint32(76, nonce, true);
    this.head = header;
    return header;
  }

  /** Mines a block with this transaction to the given depth; returns the proof by its id. */
  prove(transaction: ParentTransaction, depth: number): { raw: Uint8Array; height: bigint; tree: Uint8Array } {
    const raw = encodeStripped(transaction);
    const root = sha256d(raw);
    this.mine(root, depth);
    const tree = concatBytes(fromHex("0100000001"), root, fromHex("0101"));
    return { raw, height: BigInt(this.parentHeight - depth + 1), tree };
  }

  /** Mines a block with this transaction and registers it by its id. */
  register(transaction: ParentTransaction): readonly Log[] | undefined {
    const { raw, height, tree } = this.prove(transaction, 3);
    return this.method("registerBtcTransaction", raw, height, tree);
  }

  /** Registers the transaction with its witnesses, proven by the root that the block's coinbase commits to. */
  registerWithWitness(transaction: ParentTransaction): readonly Log[] | undefined {
    const raw = encodeTransaction(transaction);
    const wtxid = sha256d(raw);
    const nothing = new Uint8Array(32);
    const witnessRoot = sha256d(concatBytes(nothing, wtxid));
    const commitment = sha256d(concatBytes(witnessRoot, nothing));
    const coinbase: ParentTransaction = {
      version: 1,
      inputs: [{ txid: nothing, index: 0xffffffff, script: fromHex("5151"), sequence: 0, witness: [] }],
      outputs: [{ value: 0n, script: concatBytes(fromHex("6a24aa21a9ed"), commitment) }],
      lockTime: this.parentHeight,
    };
    const [first, second] = [sha256d(encodeStripped(coinbase)), reverseBytes(transactionId(transaction))];
    this.mine(sha256d(concatBytes(first, second)), 1);
    const blockHash = reverseBytes(sha256d(this.head));
    const height = this.parentHeight;
    this.mine(nothing, 2);
    const prove = (left: Uint8Array, right: Uint8Array, flags: string): Uint8Array =>
      concatBytes(fromHex("0200000002"), left, right, fromHex(`01${flags}`));
    this.method(
      "registerBtcCoinbaseTransaction",
      encodeStripped(coinbase),
      blockHash,
      prove(first, second, "03"),
      reverseBytes(witnessRoot),
      nothing,
    );
    return this.method("registerBtcTransaction", raw, BigInt(height), prove(nothing, wtxid, "05"));
  }

  /** Makes the read of a cell with this index, counted from now, fail once. Returns whether it has. */
  failRead(index: number): () => boolean {
    const { state } = this;
    let reads = 0;
    const read = state.getStorageBytes;
    state.getStorageBytes = (...key) => {
      if (reads++ === index) throw new DatabaseError({ code: "DATABASE_READ", reason: "EIO" });
      return read.apply(state, key);
    };
    return () => reads > index;
  }

  balance(address: Uint8Array): bigint {
    return this.state.getBalance(address);
  }

  cell(key: Uint8Array): Uint8Array | undefined {
    return this.state.getStorageBytes(BRIDGE_ADDRESS, key);
  }

  coins(): Utxo[] {
    const cell = this.cell(CELLS.newFederationUtxos);
    return cell === undefined ? [] : decodeUtxos(cell);
  }
}

/** Returns the error that an action throws; undefined if it succeeds. */
export function errorOf(action: () => void): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A payment by the owner of a key; its signature is not verified. */
export function payment(from: Signer, outputs: ParentTransaction["outputs"], salt: number): ParentTransaction {
  const txid = keccak256(utf8(`spent ${salt}`));
  const script = concatBytes(fromHex("0151"), Uint8Array.of(33), compressed(from));
  return { version: 1, inputs: [{ txid, index: 0, script, sequence: 0, witness: [] }], outputs, lockTime: 0 };
}
