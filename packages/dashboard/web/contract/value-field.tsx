import { useId } from "preact/hooks";
import type { AbiParameter } from "viem";
import { typeOf } from "./functions.js";
import { emptyValue, listOf, MAX_ITEMS, membersOf, type Written } from "./values.js";

interface Props {
  parameter: AbiParameter;
  value: Written;
  onChange(value: Written): void;
  /** Shown if the parameter has no name. */
  fallbackName: string;
  /** The id of a list of accounts that addresses are chosen from. */
  accounts: string;
}

/** Names of parameters that are mostly times. */
const TIME =
  /time|deadline|expir|(^|_)(due|until|since|start|end|at|date)\d*$|[a-z](Due|Until|Since|Start|End|At|Date)$/;

/** The field of a parameter, or the fields of a struct or list. */
export function ValueField(props: Props) {
  const { parameter, value, onChange, fallbackName, accounts } = props;
  const name = parameter.name || fallbackName;
  const list = listOf(parameter);
  if (list !== undefined) return <ListField {...props} />;
  const members = membersOf(parameter);
  if (members === undefined) return <SingleField {...props} />;
  const values = typeof value === "string" ? [] : value;
  return (
    <fieldset>
      <legend>
        <strong>{name}</strong> <span class="note">{typeOf(parameter)}</span>
      </legend>
      {members.map((member, i) => (
        <ValueField
          key={i}
          parameter={member}
          value={values[i] ?? ""}
          fallbackName={String(i)}
          accounts={accounts}
          onChange={(changed) => onChange(members.map((_, j) => (i === j ? changed : (values[j] ?? ""))))}
        />
      ))}
    </fieldset>
  );
}

function ListField({ parameter, value, onChange, fallbackName, accounts }: Props) {
  const { item, length } = listOf(parameter)!;
  const name = parameter.name || fallbackName;
  const items = typeof value === "string" ? [] : value;
  return (
    <fieldset>
      <legend>
        <strong>{name}</strong> <span class="note">{typeOf(parameter)}</span>
      </legend>
      {items.map((one, i) => (
        <div key={i} class="list-item">
          <ValueField
            parameter={item}
            value={one}
            fallbackName={`${name}[${i}]`}
            accounts={accounts}
            onChange={(changed) => onChange(items.map((old, j) => (i === j ? changed : old)))}
          />
          {length === undefined && (
            <button type="button" class="quiet" onClick={() => onChange(items.filter((_, j) => i !== j))}>
              Remove <span class="hidden">{`${name}[${i}]`}</span>
            </button>
          )}
        </div>
      ))}
      {length === undefined && (
        <button
          type="button"
          class="add"
          disabled={items.length >= MAX_ITEMS}
          onClick={() => onChange([...items, emptyValue(item)])}
        >
          Add <span class="hidden">to {name}</span>
        </button>
      )}
    </fieldset>
  );
}

function SingleField({ parameter, value, onChange, fallbackName, accounts }: Props) {
  const id = useId();
  const { type } = parameter;
  const name = parameter.name || fallbackName;
  const text = typeof value === "string" ? value : "";
  const isNumber = /^u?int/.test(type);
  const isTime = /^uint(\d*)$/.test(type) && TIME.test(name);
  return (
    <div class="field">
      <label for={id}>
        <span>
          {name !== typeOf(parameter) && <strong>{name} </strong>}
          <span class="note">{typeOf(parameter)}</span>
        </span>
      </label>
      <div class="row value">
        {type === "bool" ? (
          <select id={id} value={text} onChange={(event) => onChange(event.currentTarget.value)}>
            <option value="false">false</option>
            <option value="true">true</option>
          </select>
        ) : (
          <input
            id={id}
            value={text}
            spellcheck={false}
            autocomplete="off"
            list={type === "address" ? accounts : undefined}
            placeholder={placeholderOf(type, isTime)}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
        {isNumber && !isTime && /^u?int(\d{3})?$/.test(type) && <Unit text={text} onChange={onChange} name={name} />}
        {isTime && (
          <button type="button" onClick={() => onChange("now")}>
            Now
          </button>
        )}
      </div>
    </div>
  );
}

/** The unit that follows a number. */
function Unit({ text, onChange, name }: { text: string; onChange(text: string): void; name: string }) {
  const [, number = text, unit = ""] = /^(.*?)\s*(wei|gwei|ether)?$/.exec(text) ?? [];
  return (
    <select
      aria-label={`Unit of ${name}`}
      value={unit}
      onChange={(event) => onChange(`${number} ${event.currentTarget.value}`.trim())}
    >
      <option value="">–</option>
      <option value="wei">wei</option>
      <option value="gwei">gwei</option>
      <option value="ether">ether</option>
    </select>
  );
}

function placeholderOf(type: string, isTime: boolean): string {
  if (isTime) return "seconds, now, now + 1 h";
  if (type === "address") return "0x…";
  if (type.startsWith("bytes")) return "0x…";
  return type === "string" ? "text" : "42";
}
