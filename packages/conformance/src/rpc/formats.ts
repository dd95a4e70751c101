import { METHODS } from "@cambium/api";
import { NETWORKS } from "@cambium/config";
import { bytesToBigint, fromHex, toData, toHex, toQuantity } from "@cambium/primitives";
import { addToBloom, BLOOM_LENGTH } from "@cambium/types";
import { failed } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { inWorld } from "./world.js";

/** `cases` of `formats.json`: pairs of input and output, or the members that each function below takes. */
export type FormatCases = Readonly<Record<string, readonly never[]>>;

type Pair = readonly [input: string, output: unknown];

/** Describes what is wrong with a case; undefined if it passes. */
type Check = (one: never) => string | undefined | Promise<string | undefined>;

const CHECKS: Readonly<Record<string, Check>> = {
  quantity: ([hex, output]: Pair) => same(toQuantity(bytesToBigint(fromHex(hex))), output),
  data: ([hex, output]: Pair) => same(toData(fromHex(hex)), output),
  numberInput: ([input, value]: Pair) => same(String(parse("NUMBER", input)), String(value)),
  dataInput: ([input, hex]: Pair) => same(toHex(parse("DATA", input) as Uint8Array), hex),
  v: signatureDifference,
  gasPrice: gasPriceDifference,
  bloomOfItem: bloomDifference,
};

/** Checks the encodings of values, by kind. */
export async function* runFormats(name: string, cases: FormatCases): AsyncGenerator<CaseResult> {
  for (const [kind, list] of Object.entries(cases)) {
    const check = CHECKS[kind];
    for (const [i, one] of list.entries()) {
      const title = `${name}/${kind} ${i + 1}`;
      const difference = check === undefined ? "unknown kind of format" : await check(one);
      yield difference === undefined ? { name: title, outcome: "passed" } : failed(title, difference);
    }
  }
}

function same(actual: unknown, expected: unknown): string | undefined {
  return firstDifference(actual, expected, "value");
}

/** Parses a value as a method parameter. */
function parse(type: string, input: string): unknown {
  const types = METHODS.flatMap(({ params }) => params.map((param) => param.type));
  return types.find(({ name }) => name === type)!.parse(input);
}

/** Sends transactions until a signature has the given parity, and compares its `v`. */
function signatureDifference({ chainId, parity, v }: { chainId: number | null; parity: number; v: string }) {
  const network = { ...NETWORKS.local, chainId: chainId ?? NETWORKS.local.chainId };
  return inWorld({ network }, async (world) => {
    const transactions = [];
    do transactions.push(world.sign({ chainId: chainId ?? undefined }));
    while (transactions.at(-1)!.signature!.recovery !== parity);
    await world.mine(transactions);
    const shown = await world.result("eth_getTransactionByHash", toData(transactions.at(-1)!.hash));
    return same((shown as { v: string }).v, v);
  });
}

/** Compares the suggested gas price of a node whose best block has a minimum gas price. */
function gasPriceDifference({ minimumGasPrice, result }: { minimumGasPrice: number | string; result: string }) {
  return inWorld({ minimumGasPrice: BigInt(minimumGasPrice) }, async (world) =>
    same(await world.result("eth_gasPrice"), result),
  );
}

function bloomDifference({ item, bits }: { item: string; bits: number[] }): string | undefined {
  const bloom = new Uint8Array(BLOOM_LENGTH);
  addToBloom(bloom, fromHex(item));
  const set = Array.from({ length: 8 * BLOOM_LENGTH }, (_, bit) => bit).filter(
    (bit) => (bloom[BLOOM_LENGTH - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0,
  );
  return same(set.join(), [...bits].sort((a, b) => a - b).join());
}
