import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { COUNTER_ABI, COUNTER_CODE, TOO_MUCH } from "@cambium/test-utils/counter-contract";
import { type Json, RpcClient, until } from "@cambium/test-utils/rpc-client";
import { vectorPath } from "@cambium/test-utils/vectors";
import { AbiCoder, getCreateAddress, Interface, Transaction, type TransactionLike, Wallet } from "ethers";

/** Facts that the pages of a chain must show. Addresses are lower-case. */
export interface Scene {
  /** A contract with its creator, the creation, and all transactions in which it takes part, from old to new. */
  contract: { address: string; creator: string; creation: string; transactions: readonly string[] };
  /** Operations inside of transactions, with the word for them and an account that is created, paid or destroyed. */
  operations: readonly { hash: string; word: string; account: string }[];
  failed: { hash: string; reason: string };
}

const COUNTER = new Interface(COUNTER_ABI);
/** Selector of the error with a text, `Error(string)`. */
const ERROR = "0x08c379a0";
const PAID = "0x1234567890123456789012345678901234567890";
/** Code that creates a contract whose code is one STOP, and pays an account what it gets. */
const PAYER = `6460016000f36000526005601b6000f05060006000600060003473${PAID.slice(2)}5af15000`;

/** Sends transactions to a chain that has none yet, each in its own block. */
export async function sentScene(url: string, key: string): Promise<Scene> {
  const rpc = new RpcClient(url);
  const wallet = new Wallet(key);
  const sent: string[] = [];
  const send = async (own: TransactionLike) => {
    const common = { type: 0, chainId: 33, gasPrice: 10n ** 9n, gasLimit: 300_000n, nonce: sent.length };
    const raw = await wallet.signTransaction({ ...common, ...own });
    const hash = Transaction.from(raw).hash!;
    // Some modes answer with the failure of the transaction.
    await rpc.call("eth_sendRawTransaction", raw).catch(() => undefined);
    await until(async () => (await rpc.call("eth_getTransactionReceipt", hash)) !== null);
    sent.push(hash);
    return hash;
  };
  const addressOf = (nonce: number) => getCreateAddress({ from: wallet.address, nonce }).toLowerCase();
  const add = (amount: number) => ({ to: addressOf(0), data: COUNTER.encodeFunctionData("add", [amount]) });

  const creation = await send({ data: COUNTER_CODE });
  await send(add(5));
  const failed = await send(add(101));
  const length = (PAYER.length / 2).toString(16).padStart(2, "0");
  await send({ data: `0x60${length}80600b6000396000f3${PAYER}` });
  const payer = addressOf(3);
  const inner = await send({ to: payer, value: 10n ** 17n });
  const created = getCreateAddress({ from: payer, nonce: 0 }).toLowerCase();
  const contract = { address: addressOf(0), creator: wallet.address.toLowerCase(), creation };
  return {
    contract: { ...contract, transactions: sent.slice(0, 3) },
    operations: [
      { hash: inner, word: "CREATE", account: created },
      { hash: inner, word: "TRANSFER", account: PAID },
    ],
    failed: { hash: failed, reason: TOO_MUCH },
  };
}

type Call = Json;

/** Chooses from a recorded chain; its companion file names the contracts, and callTracer the calls. */
export async function recordedScene(url: string, name: string): Promise<Scene> {
  const rpc = new RpcClient(url);
  const { contracts } = JSON.parse(gunzipSync(readFileSync(vectorPath("chains", `${name}.json.gz`))).toString());
  const [{ address, createdBy: creator }] = contracts;
  const traces = new Map<string, Call>();
  const height = Number(await rpc.call("eth_blockNumber"));
  for (let number = 1; number <= height; number++) {
    const block = await rpc.call("debug_traceBlockByNumber", `0x${number.toString(16)}`, { tracer: "callTracer" });
    for (const { txHash, result } of block) traces.set(txHash, result);
  }
  // Otterscan divides by the gas limit, which is 0 in the reward transaction.
  const all = [...traces].filter(([, { gas }]) => BigInt(gas) > 0n);
  const find = (isFound: (call: Call) => boolean) => all.find(([, call]) => isFound(call))!;
  const succeeded = ({ error }: Call) => error === undefined;
  const innerOf = ({ calls = [] }: Call): Call[] =>
    calls.filter(succeeded).flatMap((call: Call) => [call, ...innerOf(call)]);
  const operation = (word: string, member: "from" | "to", isIt: (call: Call) => boolean) => {
    const [hash, call] = find((outer) => succeeded(outer) && innerOf(outer).some(isIt));
    return { hash, word, account: innerOf(call).find(isIt)[member] };
  };
  const reverted = ({ output }: Call) => output?.startsWith(ERROR) === true;

  const failed = find((call) => !succeeded(call) && reverted(call));
  const [reason] = AbiCoder.defaultAbiCoder().decode(["string"], `0x${failed[1].output.slice(ERROR.length)}`);
  const [creation] = find(({ type, to }) => type === "CREATE" && to === address);
  const takesPart = (call: Call): boolean =>
    call.from === address || call.to === address || (call.calls ?? []).some(takesPart);
  const transactions = all.filter(([, call]) => takesPart(call)).map(([hash]) => hash);
  return {
    contract: { address, creator, creation, transactions },
    operations: [
      operation("CREATE", "to", ({ type }) => type === "CREATE" || type === "CREATE2"),
      operation("SELF DESTRUCT", "from", ({ type }) => type === "SELFDESTRUCT"),
    ],
    failed: { hash: failed[0], reason },
  };
}
