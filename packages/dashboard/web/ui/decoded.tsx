import type { Decoded, DecodedValue } from "../decode/decode.js";
import { type Place, unitOf } from "../decode/units.js";
import { withChecksums } from "../format/addresses.js";
import { live } from "../node/live.js";
import { Account } from "./account.js";
import { Amount } from "./amount.js";
import { Hash } from "./parts.js";

/** Shows a call or event in words: `Transfer` with its values, and their units if known. */
export function DecodedText({ decoded, place }: { decoded: Decoded; place?: Omit<Place, "chainId"> }) {
  return (
    <div class="decoded">
      <strong>{decoded.name}</strong>
      {decoded.values.length > 0 && <List decoded={decoded} place={place} />}
    </div>
  );
}

/** Shows values without a name around them; a single value without a name stands alone. */
export function DecodedValues({ decoded }: { decoded: Decoded }) {
  const [first, ...more] = decoded.values;
  if (first !== undefined && more.length === 0 && first.name === "0") {
    return (
      <span>
        <Value decoded={decoded} value={first} place={undefined} />
      </span>
    );
  }
  return (
    <div class="decoded">
      <List decoded={decoded} place={undefined} />
    </div>
  );
}

function List({ decoded, place }: { decoded: Decoded; place: ValueProps["place"] }) {
  return (
    <dl>
      {decoded.values.map((value) => (
        <div key={value.name}>
          <dt>{value.name}</dt>
          <dd>
            <Value decoded={decoded} value={value} place={place} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ValueProps {
  decoded: Decoded;
  value: DecodedValue;
  place: Omit<Place, "chainId"> | undefined;
}

function Value({ decoded, value, place }: ValueProps) {
  const { type, value: text } = value;
  const { chainId } = live.state;
  if (type === "address") return <Account address={text} whole />;
  if (type.startsWith("bytes")) return <Hash value={text} whole={text.length <= 66} />;
  if (type.includes("address")) return <>{withChecksums(text, chainId)}</>;
  const unit = place && unitOf(decoded, value, { ...place, chainId });
  return unit === undefined ? text : <Amount unit={unit} value={BigInt(text.replaceAll(",", ""))} />;
}
