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

const VIEWS = ["name", "symbol", "decimals", "totalSupply"] as const;
type View = (typeof VIEWS)[number];

interface TokenViews {
  name?: string;
  symbol?: string;
  decimals?: number;
  totalSupply?: bigint;
}

/** Output of one call of several; a failed one has none. */
interface CallResult {
  value?: Hex;
}

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
  const { symbol, decimals } = await tokenViews(contract);
  if (symbol === undefined || decimals === undefined || decimals > MAX_DECIMALS) return undefined;
  return { symbol: symbol.slice(0, MAX_SYMBOL), decimals };
}

/**
 * Calls the functions of a token without parameters; those that do not answer are missing. One request calls them all,
 * and succeeds even if the calls fail: the developer of a contract sees failed requests in the console of the node.
 * Never rejects.
 */
export async function tokenViews(to: Hex): Promise<TokenViews> {
  const transactions = VIEWS.map((functionName) => ({
    to,
    data: encodeFunctionData({ abi: TOKEN_VIEWS, functionName }),
  }));
  const [results = []] = await call<CallResult[][]>("eth_callMany", [{ transactions }]).catch(() => []);
  const read = VIEWS.map((view, i) => [view, decodedView(view, results[i]?.value)]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function decodedView(functionName: View, data: Hex | undefined): unknown {
  try {
    return data && decodeFunctionResult({ abi: TOKEN_VIEWS, functionName, data });
  } catch {
    return undefined;
  }
}
