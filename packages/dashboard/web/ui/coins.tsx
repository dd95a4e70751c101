import { coins } from "../format/numbers.js";
import { live } from "../node/live.js";
import { useStore } from "../node/store.js";

const TEST = 31;

/** The name of the chain's coin. */
export function coinName(chainId = live.state.chainId): string {
  return chainId === TEST ? "tRBTC" : "RBTC";
}

/** An amount in wei, exactly, as coins with their name. */
export function Coins({ wei }: { wei: string | bigint }) {
  const { chainId } = useStore(live);
  return (
    <>
      {coins(wei, 18)} {coinName(chainId)}
    </>
  );
}
