import { scriptHash as federationScriptHash, redeemScript, scriptHashOutput, sortMembers } from "@cambium/bridge";
import { BRIDGE_ADDRESS, type FederationFormat, type NetworkConfig, rulesAt } from "@cambium/config";
import { machineOf, type StoryStart, StoryWriter } from "@cambium/conformance";
import {
  type AbiValue,
  abiFunction,
  compareBytes,
  concatBytes,
  decodeRlpList,
  encodeRlp,
  encodeValues,
  fromHex,
  keccak256,
  publicKeyToAddress,
  secp256k1,
  toData,
  utf8,
} from "@cambium/primitives";
import type { TransactionRequest } from "@cambium/types";
import { Transaction } from "bitcoinjs-lib";
import { ParentChain, type Proof } from "../e2e/parent-chain.js";

/** An account whose private key is the hash of its name. */
export interface Signer {
  privateKey: Uint8Array;
  address: Uint8Array;
  /** Compressed public key, 33 bytes. */
  compressed: Uint8Array;
}

export function signer(name: string): Signer {
  const privateKey = keccak256(utf8(name));
  const key = secp256k1.publicKey(privateKey);
  const compressed = Uint8Array.of(2 + (key[63]! & 1), ...key.subarray(0, 32));
  return { privateKey, address: publicKeyToAddress(key), compressed };
}

/**
 * Address of a contract that forwards its call data to the bridge and returns the result: most getters refuse direct
 * transactions.
 */
export const FORWARDER = fromHex("c0".repeat(20));
export const FORWARDER_CODE = "0x36600060003760006000366000600063010000065af1503d600060003e3d6000f3";
export const REGTEST_GENESIS =
  "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000";
const HEADERS_PER_CALL = 50;
export const RICH = { nonce: "0x0", balance: "0x56bc75e2d63100000" };
export const BRIDGE_ACCOUNT = { nonce: "0x0", balance: "0x115eec47f6cf7e35000000", contract: true };

export const FEDERATORS = ["federator1", "federator2", "federator3"].map(signer);
export const USER = signer("user1");
/** Signers that replace the authorizers, whose keys are unknown: as many for each role as any network has. */
export const AUTHORIZERS = {
  federationChange: signers("federation authorizer", 5),
  feePerKb: signers("fee authorizer", 3),
  lockingCap: signers("cap authorizer", 3),
  whitelist: signers("whitelist authorizer", 3),
  unionContractAddress: signers("union address authorizer", 1),
  unionLockingCap: signers("union cap authorizer", 1),
};

function signers(name: string, count: number): Signer[] {
  return Array.from({ length: count }, (_, i) => signer(`${name} ${i}`));
}

/** A story about the bridge, with a parent chain that is mined on demand (local network only). */
export class PegStory extends StoryWriter {
  readonly config: NetworkConfig;
  readonly parent = new ParentChain(Buffer.from(REGTEST_GENESIS, "hex"), async (headers) => this.receive(headers));

  constructor(name: string, network: StoryStart["network"], number: number, start: Partial<StoryStart> = {}) {
    const config = machineOf(network).network;
    const aliases = aliasesOf(config);
    const accounts = [USER, ...FEDERATORS].map(({ address }) => address).concat(aliases.map(([, account]) => account));
    const pre = {
      ...Object.fromEntries(accounts.map((address) => [toData(address), RICH])),
      [toData(BRIDGE_ADDRESS)]: BRIDGE_ACCOUNT,
      [toData(FORWARDER)]: { nonce: "0x0", balance: "0x0", code: FORWARDER_CODE, contract: true },
    };
    super({ name, network, pre, aliases, ...start }, number);
    this.config = config;
  }

  /** Queues a call of a method, such as `voteFeePerKbChange(int256)`. */
  call(
    by: Signer,
    signature: string,
    args: readonly AbiValue[] = [],
    value = 0n,
    to = BRIDGE_ADDRESS,
    more: Partial<TransactionRequest> = {},
  ): void {
    this.send(by, { to, value, data: callData(signature, args), ...more });
  }

  /** Queues a call through the forwarder. */
  ask(signature: string, ...args: AbiValue[]): void {
    this.call(USER, signature, args, 0n, FORWARDER);
  }

  private receive(headers: readonly Uint8Array[]): void {
    for (let i = 0; i < headers.length; i += HEADERS_PER_CALL) {
      this.call(FEDERATORS[0]!, "receiveHeaders(bytes[])", [headers.slice(i, i + HEADERS_PER_CALL)]);
      this.mine();
    }
  }

  register(proof: Proof, by = FEDERATORS[0]!): void {
    if (proof.coinbase !== undefined) {
      const { raw, blockHash, tree, witnessRoot, reserved } = proof.coinbase;
      const args = [raw, blockHash, tree, witnessRoot, reserved];
      this.call(by, "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", args);
    }
    this.call(by, "registerBtcTransaction(bytes,int256,bytes)", [proof.raw, BigInt(proof.height), proof.tree]);
    this.mine();
  }

  /** Queues votes of some federation authorizers, and mines them. */
  vote(signature: string, args: readonly Uint8Array[] = [], voters = 3): void {
    for (const by of AUTHORIZERS.federationChange.slice(0, voters)) this.call(by, signature, args);
    this.mine();
  }

  nominate(members: readonly Signer[]): void {
    for (const { compressed } of members) {
      this.vote("addFederatorPublicKeyMultikey(bytes,bytes,bytes)", [compressed, compressed, compressed]);
    }
  }

  /** Queues the votes that commit the pending federation of these members. */
  commit(members: readonly Signer[]): void {
    const keys = members.map(({ compressed }) => compressed).sort(compareBytes);
    this.vote("commitFederation(bytes)", [keccak256(encodeRlp(keys))]);
  }

  /** Redeem script and output script of a federation of these members, in the genesis federation's form by default. */
  federation(
    members: readonly Signer[],
    format: FederationFormat = this.config.bridge.genesisFederation.format,
  ): { redeem: Buffer; output: Buffer } {
    const rules = rulesAt(this.config, this.number);
    const keys = members.map(({ compressed: key }) => ({ btc: key, rsk: key, mst: key }));
    const federation = { format, creationTimeMillis: 0n, creationBlock: 1, members: sortMembers(keys) };
    return {
      redeem: Buffer.from(redeemScript(federation, this.config, rules)),
      output: Buffer.from(scriptHashOutput(federationScriptHash(federation, this.config, rules))),
    };
  }

  /** The list in a cell of the bridge; empty if there is none. */
  list(cell: Uint8Array): Uint8Array[] {
    const bytes = this.state.getStorageBytes(BRIDGE_ADDRESS, cell);
    return bytes === undefined ? [] : decodeRlpList(bytes).map((item) => item.bytes);
  }
}

/** The signers that act for a network's authorizers. */
export function aliasesOf({ bridge }: NetworkConfig): [Signer, Uint8Array][] {
  const { union, ...lists } = bridge.authorizers;
  const roles = { ...lists, unionContractAddress: [union.contractAddress], unionLockingCap: [union.lockingCap] };
  return (Object.keys(AUTHORIZERS) as (keyof typeof AUTHORIZERS)[]).flatMap((role) =>
    AUTHORIZERS[role].slice(0, roles[role].length).map((by, i): [Signer, Uint8Array] => [by, roles[role][i]!]),
  );
}

/** Call data of a method such as `receiveHeaders(bytes[])`. */
export function callData(signature: string, args: readonly AbiValue[]): Uint8Array {
  const open = signature.indexOf("(");
  const types = signature.slice(open + 1, -1);
  const { selector, inputs } = abiFunction(signature.slice(0, open), types === "" ? [] : types.split(","), []);
  return concatBytes(fromHex(selector), encodeValues(inputs, args));
}

/** Returns a payment on the parent chain by the owner of a key; the bridge does not check its signature. */
export function payment(by: Signer, outputs: readonly (readonly [Buffer, number])[], salt: number): Transaction {
  const transaction = new Transaction();
  const signature = Buffer.alloc(71, 0x30);
  const script = Buffer.concat([Buffer.of(71), signature, Buffer.of(33), by.compressed]);
  transaction.addInput(Buffer.from(keccak256(utf8(`spent ${salt}`))), 0, undefined, script);
  for (const [output, value] of outputs) transaction.addOutput(output, value);
  return transaction;
}
