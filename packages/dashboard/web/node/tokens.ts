import { decodeFunctionResult, encodeFunctionData } from "viem";
import { TOKEN_VIEWS } from "../decode/interfaces.js";
import { call } from "./client.js";
import type { Hex } from "./types.js";

/** Format of amounts of a token. The contract may return anything. */
export interface TokenUnit {
  symbol: string;
  decimals: number;
}

const MAX_KNOWN = 500;
const MAX_SYMBOL = 24;
const MAX_DECIMALS = 77;

const known = new Map<string, Promise<TokenUnit | undefined>>();

/** Reads the unit of a token once; undefined if the contract does not answer as a token does. Never rejects. */
export function tokenUnit(contract: string): Promise<TokenUnit | undefined> {
  const key = contract.toLowerCase();
  const asked = known.get(key) ?? readUnit(key as Hex);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, asked);
  return asked;
}

async function readUnit(contract: Hex): Promise<TokenUnit | undefined> {
  const [symbol, decimals] = await Promise.all([tokenView(contract, "symbol"), tokenView(contract, "decimals")]);
  if (typeof symbol !== "string" || typeof decimals !== "number" || decimals > MAX_DECIMALS) return undefined;
  return { symbol: symbol.slice(0, MAX_SYMBOL), decimals };
}

/** Calls a function of a token without parameters; undefined if it does not answer. Never rejects. */
export async function tokenView(to: Hex, functionName: "name" | "symbol" | "decimals" | "totalSupply") {
  try {
    const data = encodeFunctionData({ abi: TOKEN_VIEWS, functionName });
    const output = await call<Hex>("eth_call", { to, data }, "latest");
    return decodeFunctionResult({ abi: TOKEN_VIEWS, functionName, data: output });
  } catch {
    return undefined;
  }
}
