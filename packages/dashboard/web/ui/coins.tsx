import { coins } from "../format/numbers.js";
import { live } from "../node/live.js";
import { useStore } from "../node/store.js";

/** Names of the coin of public networks. */
const UNITS: Readonly<Record<number, string>> = { 30: "RBTC", 31: "tRBTC" };

/** An amount in wei, exactly, as coins with their name. */
export function Coins({ wei }: { wei: string | bigint }) {
  const { chainId = 0 } = useStore(live);
  return (
    <>
      {coins(wei, 18)} {UNITS[chainId] ?? "coins"}
    </>
  );
}
