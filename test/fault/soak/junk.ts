import type { Call } from "./request-book.js";

/** Values that no parameter accepts, or few. */
const WRONG: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  "",
  "0x",
  "0xzz",
  "latest",
  "0x".padEnd(3000, "f"),
  [],
  {},
  [[]],
  1e300,
];

const LARGE = 3 * 1024 * 1024;

/** Returns a request of a valid one's method with wrong parameters. */
export function wrongTypes({ method, params }: Call, random: () => number): string {
  const wrong = params.map((param) => (random() < 0.7 ? WRONG[Math.floor(random() * WRONG.length)] : param));
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: wrong });
}

/** Bodies that are no requests, or requests that the node refuses; each has a response. */
export const JUNK: readonly (() => string | Uint8Array)[] = [
  () => "",
  () => "{",
  () => "[]",
  () => "[1,2,3]",
  () => "null",
  () => '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"',
  () => '{"jsonrpc":"1.0","id":1,"method":"eth_blockNumber"}',
  () => '{"jsonrpc":"2.0","id":{"a":1},"method":"eth_blockNumber"}',
  () => '{"jsonrpc":"2.0","id":1,"method":5,"params":7}',
  () => '{"jsonrpc":"2.0","id":1,"method":"eth_noSuchMethod","params":[]}',
  () => '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":1}}',
  () => `{"jsonrpc":"2.0","id":"${"i".repeat(100_000)}","method":"eth_blockNumber"}`,
  () => `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  () => JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ jsonrpc: "2.0", id, method: "eth_blockNumber" }))),
  () => `{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x${"ab".repeat(400_000)}"]}`,
  () => `"${"x".repeat(LARGE)}"`,
  () => Uint8Array.from({ length: 5000 }, (_, i) => (i * 37) & 0xff),
  () => "GET / HTTP/1.1\r\n\r\n",
];
