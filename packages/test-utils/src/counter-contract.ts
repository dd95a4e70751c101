import { concat, dataLength, getBytes, hexlify, id, toBeHex, toUtf8Bytes, zeroPadBytes } from "ethers";

/** Interface of {@link COUNTER_CODE}, as compilers write it. */
export const COUNTER_ABI = [
  { type: "constructor", inputs: [], stateMutability: "payable" },
  {
    type: "function",
    name: "add",
    inputs: [{ name: "amount", type: "uint256" }],
    outputs: [],
    stateMutability: "nonpayable",
  },
  {
    type: "function",
    name: "total",
    inputs: [],
    outputs: [{ name: "", type: "uint256" }],
    stateMutability: "view",
  },
  { type: "event", name: "Added", inputs: [{ name: "total", type: "uint256", indexed: false }] },
] as const;

/** Revert reason of `add` above a total of a hundred. */
export const TOO_MUCH = "too much";

const STOP = "00";
const [ADD, LT, EQ, SHR] = ["01", "10", "14", "1c"];
const [CALLDATALOAD, CODECOPY] = ["35", "39"];
const [MSTORE, SLOAD, SSTORE, JUMPI, JUMPDEST] = ["52", "54", "55", "57", "5b"];
const [DUP1, LOG1, RETURN, REVERT] = ["80", "a1", "f3", "fd"];

function push(value: number | string): string {
  const data = typeof value === "string" ? value : toBeHex(value);
  return toBeHex(0x5f + dataLength(data)).slice(2) + data.slice(2);
}

/** A jump destination whose address is pushed as one byte. */
function code(parts: readonly string[]): string {
  const labels = new Map<string, number>();
  let length = 0;
  for (const part of parts) {
    if (part.startsWith(":")) labels.set(part.slice(1), length);
    length += part.startsWith(":") ? 1 : part.startsWith("@") ? 2 : part.length / 2;
  }
  const bytes = parts.map((part) => {
    if (part.startsWith(":")) return JUMPDEST;
    return part.startsWith("@") ? push(labels.get(part.slice(1))!) : part;
  });
  return `0x${bytes.join("")}`;
}

function selector(signature: string): string {
  return id(signature).slice(0, 10);
}

function word(value: string | Uint8Array): string {
  return zeroPadBytes(hexlify(getBytes(value)), 32);
}

const jumpTo = (label: string) => [`@${label}`, JUMPI!];
const store = (value: string, offset: number) => [value, push(offset), MSTORE!];

/** `add(uint256)` adds to slot 0 and logs the total, or reverts above a hundred; `total()` returns it. */
const RUNTIME = code([
  ...[push(0), CALLDATALOAD!, push(0xe0), SHR!],
  ...[DUP1!, push(selector("add(uint256)")), EQ!, ...jumpTo("add")],
  ...[push(selector("total()")), EQ!, ...jumpTo("total")],
  ...[push(0), push(0), REVERT!],
  ":total",
  ...[push(0), SLOAD!, ...store("", 0), push(32), push(0), RETURN!],
  ":add",
  ...[push(4), CALLDATALOAD!, DUP1!, push(100), LT!, ...jumpTo("fail")],
  ...[push(0), SLOAD!, ADD!, DUP1!, push(0), SSTORE!, ...store("", 0)],
  ...[push(id("Added(uint256)")), push(32), push(0), LOG1!, STOP],
  ":fail",
  ...store(push(word(selector("Error(string)"))), 0),
  ...store(push(32), 4),
  ...store(push(TOO_MUCH.length), 36),
  ...store(push(word(toUtf8Bytes(TOO_MUCH))), 68),
  ...[push(100), push(0), REVERT!],
]);

/** Init code of the contract: it returns the code that follows it. */
export const COUNTER_CODE = ((): `0x${string}` => {
  const size = dataLength(RUNTIME);
  const copy = (start: number) =>
    `0x${[push(size), push(start), push(0), CODECOPY, push(size), push(0), RETURN].join("")}`;
  return concat([copy(dataLength(copy(1))), RUNTIME]) as `0x${string}`;
})();
