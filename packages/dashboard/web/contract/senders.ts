import { call } from "../node/client.js";
import { isDeveloped, live } from "../node/live.js";
import type { Hex } from "../node/types.js";

/** A wallet in the browser (EIP-1193). */
interface InjectedWallet {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

export interface TransactionFields {
  from: Hex;
  to?: Hex;
  data?: Hex;
  value?: string;
  gas?: string;
}

/** Accounts that can send a transaction: those of the node, or of the wallet in the browser. */
export interface Senders {
  accounts: readonly Hex[];
  hasWallet: boolean;
}

/** Choice of the form for the account of the wallet. */
export const WALLET = "wallet";

/** Returns the accounts for which a developer's node signs, none for any other node; and whether there is a wallet. */
export async function readSenders(): Promise<Senders> {
  const accounts = isDeveloped() ? await call<Hex[]>("eth_accounts") : [];
  return { accounts, hasWallet: wallet() !== undefined };
}

/** Sends through the node, or through the wallet if `from` is {@link WALLET}. Resolves to the hash. */
export async function send(from: string, fields: Omit<TransactionFields, "from">): Promise<Hex> {
  if (from !== WALLET) return call<Hex>("eth_sendTransaction", { from, ...fields });
  const injected = wallet();
  if (injected === undefined) throw new Error("There is no wallet in this browser");
  const [account] = (await injected.request({ method: "eth_requestAccounts" })) as Hex[];
  const chain = Number(await injected.request({ method: "eth_chainId" }));
  if (chain !== live.state.chainId) {
    throw new Error(
      `The wallet uses chain ${chain}: choose the network of this node in it, chain ${live.state.chainId}`,
    );
  }
  const params = [{ from: account, ...fields }];
  return (await injected.request({ method: "eth_sendTransaction", params })) as Hex;
}

function wallet(): InjectedWallet | undefined {
  return (globalThis as { ethereum?: InjectedWallet }).ethereum;
}
