import { COUNTER_ABI } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import type { Json, RpcClient } from "@cambium/test-utils/rpc-client";
import { Interface } from "ethers";

/** A JSON-RPC request without its id. */
export interface Call {
  method: string;
  params: unknown[];
}

/** Objects that requests refer to; they change while the chain grows. */
export interface Subjects {
  blockHashes: readonly string[];
  transactionHashes: readonly string[];
  /** Address of a counter. */
  contract: string;
  /** A signed transaction, which the node knows. */
  rawTransaction: string;
  /** A block of the node's chain. */
  rawBlock: string;
  /** Filter of the calling client. */
  filter: string;
}

/** Methods that clients do not call, with the reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  evm_mine: "the test decides when blocks are mined",
  evm_increaseTime: "the peers refuse blocks of the future",
  evm_revert: "removes blocks that peers have",
  evm_reset: "removes blocks that peers have",
  eth_unsubscribe: "called for the client's own subscriptions",
  eth_subscribe: "called for the topics of the client's own subscriptions",
};
/** Methods of development tools that change the chain, or the mining of its blocks, for all clients. */
const CHANGES_CHAIN = /^evm_set|^(hardhat|anvil)_(?!getAutomine$|metadata$|nodeInfo$|dumpState$)/;
/** Methods that encrypt a key for some tenths of a second: called once in a round. */
const EXPENSIVE = /^personal_(newAccount|newAccountWithSeed|importRawKey|unlockAccount|sendTransaction|sign)$/;

/** Block parameters. The last two are numbers, which the searches of ots_* need. */
const BLOCKS = ["latest", "pending", "earliest", "0x1", "0x2"];

const counter = new Interface(COUNTER_ABI);

const TYPED_DATA = {
  types: { EIP712Domain: [{ name: "chainId", type: "uint256" }], Note: [{ name: "text", type: "string" }] },
  primaryType: "Note",
  domain: { chainId: 33 },
  message: { text: "a text to sign" },
};

/** Valid requests for every method in the node's own description. */
export class RequestBook {
  private constructor(
    private readonly methods: readonly Json[],
    private readonly expensive: readonly Json[],
    private readonly random: () => number,
  ) {}

  static async of(rpc: RpcClient, random: () => number): Promise<RequestBook> {
    const { methods }: { methods: Json[] } = await rpc.call("rpc.discover");
    const called = methods.filter(({ name }) => !(name in EXCLUDED || CHANGES_CHAIN.test(name)));
    const isExpensive = ({ name }: Json) => EXPENSIVE.test(name);
    return new RequestBook(
      called.filter((method) => !isExpensive(method)),
      called.filter(isExpensive),
      random,
    );
  }

  get names(): string[] {
    return [...this.methods, ...this.expensive].map(({ name }) => name);
  }

  /** A request for the method at a position, counted modulo their number. */
  at(position: number, subjects: Subjects): Call {
    return this.call(this.methods[position % this.methods.length], subjects);
  }

  /** A request for each method. */
  all(subjects: Subjects): Call[] {
    return [...this.methods, ...this.expensive].map((method) => this.call(method, subjects));
  }

  expensiveCalls(subjects: Subjects): Call[] {
    return this.expensive.map((method) => this.call(method, subjects));
  }

  private call({ name, params }: Json, subjects: Subjects): Call {
    return { method: name, params: params.map((param: Json) => this.value(name, param.name, subjects)) };
  }

  private pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)]!;
  }

  /** Returns a value. Fails for an unknown name, so that every method is called with meaningful parameters. */
  private value(method: string, name: string, subjects: Subjects): unknown {
    const { contract, rawTransaction, filter } = subjects;
    const blockHash = () => this.pick(subjects.blockHashes);
    const transactionHash = () => this.pick(subjects.transactionHashes);
    const word = `0x${"5a".repeat(32)}`;
    const transfer = { from: this.pick(DEVELOPERS).address, to: contract, gas: "0x30d40", value: "0x0" };
    const values: Record<string, () => unknown> = {
      account: () => this.pick(DEVELOPERS).address,
      address: () => (method.startsWith("sco_") ? "192.0.2.1" : this.pick([contract, this.pick(DEVELOPERS).address])),
      block: () =>
        method.startsWith("mnr_") ? "00" : this.pick(BLOCKS.slice(method.startsWith("ots_search") ? 3 : 0)),
      blockCount: () => "0x5",
      blockHash,
      blockOverrides: () => ({ number: "0x64" }),
      bundles: () => [{ transactions: [transfer, transfer] }, { transactions: [transfer] }],
      call: () => ({ ...transfer, data: counter.encodeFunctionData("total") }),
      calls: () => [
        [transfer, ["trace"]],
        [transfer, ["stateDiff"]],
      ],
      clientId: () => word,
      coinbase: () => "00".repeat(70),
      context: () => ({ blockNumber: this.pick(["latest", "0x2"]), transactionIndex: this.pick([-1, 0]) }),
      data: () => word,
      duration: () => "0x1",
      encodedBlock: () => subjects.rawBlock,
      filter: () =>
        /Filter$|getLogs/.test(method) && method !== "eth_uninstallFilter" ? logQuery(method, contract) : filter,
      fullTransactions: () => this.random() < 0.5,
      hash: () =>
        /_getBlock|ByBlockHash|BlockByHash|BlockHeader|HeaderByHash/.test(method) ? blockHash() : transactionHash(),
      hashrate: () => "0x10",
      header: () => "00".repeat(80),
      headerHash: () => word,
      index: () => "0x0",
      key: () => "11".repeat(32),
      keys: () => ["0x0"],
      merkleHashes: () => "00".repeat(32),
      message: () => word,
      mixDigest: () => word,
      newestBlock: () => "latest",
      nonce: () => "0x0000000000000001",
      number: () => this.pick(["0x1", "0x2"]),
      options: () => ({}),
      page: () => "0x0",
      pageSize: () => "0x5",
      // A hash other than that of the node's work, for which the node does not wait.
      knownHash: () => word,
      levels: () => "info",
      passphrase: () => "a passphrase",
      peer: () => "16Uiu2HAm4r9r1P3KmkHFXkTtiDyVMG8DkAJ4Bw3bgUoQgyFTjwbD",
      peerAddress: () => "/ip4/127.0.0.1/tcp/1/p2p/16Uiu2HAm4r9r1P3KmkHFXkTtiDyVMG8DkAJ4Bw3bgUoQgyFTjwbD",
      peerOrAddress: () => "192.0.2.1",
      position: () => "0x0",
      positions: () => ["0x0"],
      requests: () => ({ [contract]: ["0x0"] }),
      rewardPercentiles: () => [25, 75],
      seed: () => "a seed",
      sender: () => this.pick(DEVELOPERS).address,
      simulation: () => ({ blockStateCalls: [{ calls: [transfer, transfer] }] }),
      stateOverrides: () => ({ [contract]: { balance: "0x1" } }),
      subject: () => "192.0.2.1",
      timeout: () => "0x1",
      transaction: () => (/raw/i.test(method) ? rawTransaction : transfer),
      transactionCount: () => "1",
      transactionHash,
      transactionIds: () => "00".repeat(32),
      typedData: () => TYPED_DATA,
      types: () => ["trace", "stateDiff"],
      whole: () => true,
    };
    const make = values[name];
    if (make === undefined) throw new Error(`no value for the parameter ${name} of ${method}`);
    return make();
  }
}

function logQuery(method: string, address: string): object {
  if (method === "trace_filter") return { fromBlock: "0x1", toBlock: "0x20", toAddress: [address] };
  return { fromBlock: "0x1", toBlock: "latest", address };
}
