import type { Decoded, DecodedValue } from "../decode/decode.js";
import { Account } from "./account.js";
import { Hash } from "./parts.js";

/** A call or event in words: `Transfer` with its values. */
export function DecodedText({ decoded }: { decoded: Decoded }) {
  return (
    <div class="decoded">
      <strong>{decoded.name}</strong>
      {decoded.values.length > 0 && (
        <dl>
          {decoded.values.map((value) => (
            <div key={value.name}>
              <dt>{value.name}</dt>
              <dd>
                <Value {...value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function Value({ type, value }: DecodedValue) {
  if (type === "address") return <Account address={value} whole />;
  return type.startsWith("bytes") ? <Hash value={value} whole={value.length <= 66} /> : value;
}
