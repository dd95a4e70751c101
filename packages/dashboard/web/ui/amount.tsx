import type { Unit } from "../decode/units.js";
import { decimal, grouped } from "../format/numbers.js";
import { useQuery } from "../node/query.js";
import { tokenUnit } from "../node/tokens.js";
import { Coins } from "./coins.js";

const UNLIMITED = 2n ** 256n - 1n;

/** A number of a call or event in its unit. */
export function Amount({ unit, value }: { unit: Unit; value: bigint }) {
  if (unit.kind === "wei") return <Coins wei={value} />;
  if (unit.kind === "satoshi") return <>{decimal(value, 8, 8)} BTC</>;
  if (unit.kind === "token") return <TokenAmount contract={unit.contract} value={value} />;
  const words = unit.words[String(value)];
  if (words === undefined) return <>{grouped(value)}</>;
  return (
    <>
      {words} <span class="note">({grouped(value)})</span>
    </>
  );
}

/** Writes an amount like `12.34 NEW`; the plain number if the contract has no decimals. */
function TokenAmount({ contract, value }: { contract: string; value: bigint }) {
  const { data: unit } = useQuery(`unit of ${contract}`, () => tokenUnit(contract));
  if (unit === undefined) return <>{grouped(value)}</>;
  if (value === UNLIMITED) return <>unlimited {unit.symbol}</>;
  return (
    <>
      {decimal(value, unit.decimals, unit.decimals)} {unit.symbol}
    </>
  );
}
