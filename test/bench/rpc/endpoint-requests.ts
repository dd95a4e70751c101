/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

/** A request, or a batch of them, that an endpoint answers without error. */
export interface MeasuredRequest {
  name: string;
  body: unknown;
  /** Whether it costs little, so that it is also measured with many connections. */
  isLight?: boolean;
}

/** keccak of `Transfer(address,address,uint256)`, and the selector of `balanceOf(address)`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const BALANCE_OF = "0x70a08231";

/** Number of newest blocks among which the one with most transactions is chosen. */
const BLOCKS = 100;
const BATCH = 50;

/** Returns requests for the content of an endpoint's newest blocks. */
export async function requestsFor(url: URL): Promise<MeasuredRequest[]> {
  const newest = Number(await ask(url, "eth_blockNumber", []));
  const block = await fullestBlock(url, newest);
  const [transaction] = block.transactions;
  const account = transaction?.from ?? block.miner;
  const balance = request("eth_getBalance", [account, "latest"]);
  const requests: MeasuredRequest[] = [
    { name: "eth_blockNumber", body: request("eth_blockNumber", []), isLight: true },
    { name: "eth_getBalance", body: balance, isLight: true },
    { name: "eth_getBlockByNumber, hashes", body: request("eth_getBlockByNumber", ["latest", false]), isLight: true },
    {
      name: `eth_getBlockByNumber, ${block.transactions.length} transactions`,
      body: request("eth_getBlockByNumber", [block.number, true]),
    },
    { name: `batch of ${BATCH} eth_getBalance`, body: Array.from({ length: BATCH }, () => balance) },
  ];
  if (transaction !== undefined) {
    for (const method of ["eth_getTransactionByHash", "eth_getTransactionReceipt"]) {
      requests.push({ name: method, body: request(method, [transaction.hash]), isLight: true });
    }
  }
  return [...requests, ...(await tokenRequests(url, newest, Number(block.number)))];
}

/**
 * Returns requests for a token's balance, and for logs of few and of many blocks; none if no token was transferred in
 * the chosen block or shortly before it.
 */
async function tokenRequests(url: URL, newest: number, number: number): Promise<MeasuredRequest[]> {
  if (number === 0) return [];
  const range = { fromBlock: toHex(Math.max(number - 9, 1)), toBlock: toHex(number) };
  const [transfer] = await ask(url, "eth_getLogs", [{ ...range, topics: [TRANSFER] }]);
  if (transfer === undefined) return [];
  const call = { to: transfer.address, data: BALANCE_OF + transfer.topics[1].slice(2) };
  const narrow = { ...range, address: transfer.address };
  const from = Math.max(newest - 999, 1);
  const sender = { address: transfer.address, topics: [TRANSFER, transfer.topics[1]] };
  const wide = { ...sender, fromBlock: toHex(from), toBlock: toHex(newest) };
  const found = await ask(url, "eth_getLogs", [narrow]);
  return [
    { name: "eth_call, token balance", body: request("eth_call", [call, "latest"]) },
    { name: `eth_getLogs, 10 blocks, ${found.length} logs`, body: request("eth_getLogs", [narrow]) },
    { name: `eth_getLogs, ${newest - from + 1} blocks, one sender`, body: request("eth_getLogs", [wide]) },
  ];
}

async function fullestBlock(url: URL, newest: number): Promise<Json> {
  let [fullest, most] = [newest, 0];
  for (let number = newest; number > Math.max(newest - BLOCKS, 0); number--) {
    const { transactions } = await ask(url, "eth_getBlockByNumber", [toHex(number), false]);
    if (transactions.length > most) [fullest, most] = [number, transactions.length];
  }
  return ask(url, "eth_getBlockByNumber", [toHex(fullest), true]);
}

export async function ask(url: URL, method: string, params: unknown[]): Promise<Json> {
  const body = JSON.stringify(request(method, params));
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error }: Json = await response.json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

export function request(method: string, params: unknown[]): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
