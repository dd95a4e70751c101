import { BRIDGE_ADDRESS, REWARD_SENDER } from "@cambium/config";
import { bytesToBigint, EMPTY_BYTES, equalBytes, toData, toHex, toQuantity } from "@cambium/primitives";
import { accountKey, encodeAccount, markedNativeContracts, storedWord } from "@cambium/state";
import { dataOf, quantityOf, wordOf } from "./block-json.js";
import { EndpointError } from "./json-rpc-endpoint.js";
import { BYTE_STRINGS, type RemoteSource } from "./remote-source.js";
import { type PartOfAccount, partOfAccount } from "./state-key.js";

/** Names of the method that reads a cell of any length; they differ between clients. */
const CELL_METHODS = ["chain_getStorageBytesAt", "rsk_getStorageBytesAt"];
const REWARD_SENDER_KEY = accountKey(REWARD_SENDER);
const MARKER = Uint8Array.of(1);

interface FoundAccount {
  balance: bigint;
  nonce: bigint;
  code: Uint8Array;
  /** Whether the account exists according to EXTCODEHASH. */
  isProbed: boolean;
}

/** Values of the state after the block of a source. */
export class RemoteValues {
  private readonly native: ReadonlySet<string>;

  constructor(
    private readonly source: RemoteSource,
    /** The method that reads cells; null if the endpoint has none, undefined until that is known. */
    private cellMethod?: string | null,
  ) {
    const { network, fork } = source;
    this.native = new Set(markedNativeContracts(network, fork.number).map(toHex));
  }

  /** Returns the same values for another block of the endpoint. */
  of(source: RemoteSource): RemoteValues {
    return new RemoteValues(source, this.cellMethod);
  }

  /** Returns the value of a key; undefined if it has none. */
  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    const part = partOfAccount(key);
    // JSON-RPC cannot express the sender of reward transactions: its address is one byte. Every block has had one
    // (`spec/05 §2.1`).
    if (part === undefined) return equalBytes(key, REWARD_SENDER_KEY) ? this.rewardSender : undefined;
    if (part.kind === "cell") return this.cell(part);
    const [record, marker, code] = await this.account(part.address);
    const value = { record, marker, code }[part.kind];
    return value !== undefined && value.length > 0 ? value : undefined;
  }

  /** Returns record, marker and code; empty if absent. */
  private account(address: Uint8Array): Promise<readonly Uint8Array[]> {
    return this.source.kept(`account ${toHex(address)}`, BYTE_STRINGS, async () => {
      const account = toData(address);
      const at = this.source.selector();
      const calls = [
        { method: "eth_getBalance", params: [account, at] },
        { method: "eth_getTransactionCount", params: [account, at] },
        { method: "eth_getCode", params: [account, at] },
        { method: "eth_call", params: [{ data: existenceProbe(address) }, at] },
      ];
      const [balance, nonce, code, probe] = await this.source.endpoint.batch(calls);
      return this.source.read("eth_getBalance", () =>
        this.accountParts(address, {
          balance: quantityOf(this.source.endpoint.required(balance, "eth_getBalance")),
          nonce: quantityOf(this.source.endpoint.required(nonce, "eth_getTransactionCount")),
          code: dataOf(this.source.endpoint.required(code, "eth_getCode") ?? "0x"),
          isProbed: typeof probe === "string" && probe.length === 66 && !/^0x0*$/.test(probe),
        }),
      );
    });
  }

  private accountParts(address: Uint8Array, found: FoundAccount): readonly Uint8Array[] {
    const { balance, nonce, code, isProbed } = found;
    const isNative = this.native.has(toHex(address));
    const exists = balance > 0n || nonce > 0n || code.length > 0 || isProbed || isNative;
    if (!exists) return [EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES];
    const marker = code.length > 0 || isNative ? MARKER : EMPTY_BYTES;
    return [encodeAccount({ nonce, balance, flags: 0 }), marker, code];
  }

  private async cell({ address, cell }: PartOfAccount & { kind: "cell" }): Promise<Uint8Array | undefined> {
    const [value] = await this.source.kept(`cell ${toHex(address)} ${toHex(cell)}`, BYTE_STRINGS, async () => {
      const found = equalBytes(address, BRIDGE_ADDRESS)
        ? await this.bridgeCell(address, cell)
        : storedWord(await this.word(address, cell));
      return [found ?? EMPTY_BYTES];
    });
    return value!.length > 0 ? value : undefined;
  }

  private async word(address: Uint8Array, cell: Uint8Array): Promise<bigint> {
    const position = toQuantity(bytesToBigint(cell));
    const word = await this.source.endpoint.call("eth_getStorageAt", toData(address), position, this.source.selector());
    return this.source.read("eth_getStorageAt", () => wordOf(word));
  }

  /**
   * Reads a cell of the bridge, which holds a byte string of any length. Cells of the reward contract are words
   * (`spec/05 §5`).
   */
  private async bridgeCell(address: Uint8Array, cell: Uint8Array): Promise<Uint8Array | undefined> {
    const params = [toData(address), toQuantity(bytesToBigint(cell)), this.source.selector()];
    for (const method of this.cellMethod === undefined ? CELL_METHODS : [this.cellMethod]) {
      if (method === null) break;
      const [result] = await this.source.endpoint.batch([{ method, params }]);
      if (result instanceof EndpointError && result.isMethodMissing) continue;
      const value = this.source.endpoint.required(result, method);
      this.cellMethod = method;
      return value === "0x0" || value === null ? undefined : this.source.read(method, () => dataOf(value));
    }
    this.cellMethod = null;
    // No stored value of the bridge consists of zeros only.
    const [word] = await this.source.endpoint.batch([{ method: "eth_getStorageAt", params }]);
    if (typeof word === "string" && /^0x0*$/.test(word)) return undefined;
    const reason = "the endpoint does not serve it, but it is needed to read the storage of the bridge";
    throw this.source.endpoint.failure(CELL_METHODS.join(" or "), reason);
  }

  private get rewardSender(): Uint8Array | undefined {
    const { number } = this.source.fork;
    return number === 0 ? undefined : encodeAccount({ nonce: BigInt(number), balance: 0n, flags: 0 });
  }
}

/** Code that returns the EXTCODEHASH of an account: not zero if the account exists, even if it is empty. */
function existenceProbe(address: Uint8Array): string {
  return `0x73${toHex(address)}3f60005260206000f3`;
}
