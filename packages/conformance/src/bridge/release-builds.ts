import {
  type BuildResult,
  buildEmptyWallet,
  buildRelease,
  encodeTransaction,
  publicKeyHashOutput,
  redeemHash,
  scriptHashOutput,
  type Wallet,
} from "@cambium/bridge";
import { sha256d } from "@cambium/merged-mining";
import { fromHex, toHex } from "@cambium/primitives";
import type { CaseResult } from "../interface.js";

/** Vectors of transactions built from a federation's UTXOs. */
export interface ReleaseBuilderFile {
  readonly cases: readonly ReleaseBuild[];
}

interface ReleaseBuild {
  readonly mode: "batch" | "migration" | "emptyWallet";
  /** Redeem script; the change is sent to it too. */
  readonly federation: string;
  readonly formatVersion: number;
  readonly threshold: number;
  readonly feePerKb: number;
  readonly utxos: readonly (readonly [txid: string, index: number, satoshi: number, coinbase: boolean])[];
  /** Hashes of public keys and satoshi. */
  readonly requests?: readonly (readonly [hash: string, satoshi: number])[];
  /** Output script of the other modes. */
  readonly to?: string;
  readonly result: string;
  readonly tx: string | null;
  readonly txSha256d?: string;
}

const RESULTS: Readonly<Record<BuildResult["code"], string>> = {
  SUCCESS: "SUCCESS",
  INSUFFICIENT: "INSUFFICIENT_MONEY",
  COULD_NOT_ADJUST: "COULD_NOT_ADJUST_DOWNWARDS",
  DUSTY: "DUSTY_SEND_REQUESTED",
  TOO_BIG: "EXCEED_MAX_TRANSACTION_SIZE",
};
const VERSION = 2;

export function* runReleaseBuilds({ cases }: ReleaseBuilderFile): Iterable<CaseResult> {
  for (const [index, vector] of cases.entries()) {
    const name = `release build ${index} (${vector.mode}, format ${vector.formatVersion})`;
    const difference = compare(vector, build(vector));
    if (difference === undefined) yield { name, outcome: "passed" };
    else yield { name, outcome: "failed", reason: difference };
  }
}

function build(vector: ReleaseBuild): BuildResult {
  const redeem = fromHex(vector.federation);
  const segwit = vector.formatVersion === 4000;
  const own = scriptHashOutput(redeemHash(redeem, segwit));
  const coins = vector.utxos.map(([txid, index, satoshi, coinbase]) => {
    return { txid: fromHex(txid), index, value: BigInt(satoshi), script: own, height: 0, coinbase };
  });
  const wallet: Wallet = {
    coins: coins.filter((coin) => !coin.coinbase),
    segwit,
    signers: undefined,
    redeemOf: () => redeem,
  };
  const feePerKb = BigInt(vector.feePerKb);
  const to = fromHex(vector.to ?? "");
  if (vector.mode === "emptyWallet") return buildEmptyWallet(wallet, to, feePerKb, VERSION);
  const requests = vector.requests ?? [];
  const outputs =
    vector.mode === "batch"
      ? requests.map(([hash, satoshi]) => ({ value: BigInt(satoshi), script: publicKeyHashOutput(fromHex(hash)) }))
      : [{ value: wallet.coins.reduce((sum, coin) => sum + coin.value, 0n), script: to }];
  const changeScript = vector.mode === "batch" ? own : to;
  return buildRelease(wallet, { outputs, changeScript, feePerKb, recipientsPay: true, version: VERSION });
}

function compare(vector: ReleaseBuild, result: BuildResult): string | undefined {
  if (RESULTS[result.code] !== vector.result) return `result ${RESULTS[result.code]}, not ${vector.result}`;
  if (result.code !== "SUCCESS") return undefined;
  const raw = encodeTransaction(result.transaction);
  if (vector.tx !== null && toHex(raw) !== vector.tx) return `transaction ${toHex(raw)}`;
  const hash = toHex(sha256d(raw));
  return vector.txSha256d === undefined || hash === vector.txSha256d ? undefined : `transaction hash ${hash}`;
}
