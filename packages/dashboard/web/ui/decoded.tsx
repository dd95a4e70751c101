import type { Decoded, DecodedValue } from "../decode/decode.js";
import { Account } from "./account.js";
import { Hash } from "./parts.js";

/** A call or event in words: `Transfer` with its values. */
export function DecodedText({ decoded }: { decoded: Decoded }) {
  return (
    <div class="decoded">
      <strong>{decoded.name}</strong>
      {decoded.values.length > 0 && <List values={decoded.values} />}
    </div>
  );
}

/** Values without a name around them; a single one that has none stands alone. */
export function DecodedValues({ values }: { values: readonly DecodedValue[] }) {
  const [first, ...more] = values;
  if (first !== undefined && more.length === 0 && first.name === "0") return <Value {...first} />;
  return (
    <div class="decoded">
      <List values={values} />
    </div>
  );
}

function List({ values }: { values: readonly DecodedValue[] }) {
  return (
    <dl>
      {values.map((value) => (
        <div key={value.name}>
          <dt>{value.name}</dt>
          <dd>
            <Value {...value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ type, value }: DecodedValue) {
  if (type === "address") return <Account address={value} whole />;
  return type.startsWith("bytes") ? <Hash value={value} whole={value.length <= 66} /> : value;
}
