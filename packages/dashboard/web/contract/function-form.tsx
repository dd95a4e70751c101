import { type ComponentChildren, Fragment } from "preact";
import { useState } from "preact/hooks";
import { type AbiFunction, encodeFunctionData, numberToHex } from "viem";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import type { Hex } from "../node/types.js";
import { signatureOf, typeOf } from "./functions.js";
import { Failure, Returned, Sent } from "./outcome.js";
import { type Senders, send, WALLET } from "./senders.js";
import { ValueField } from "./value-field.js";
import { emptyValue, readValue, type Written } from "./values.js";

/** Settings that the forms of one contract share. */
export interface Target {
  address: Hex;
  /** The block that reads are made at, as JSON-RPC writes it. */
  block: string;
  senders: Senders;
  /** Chosen account, or {@link WALLET}; empty if no transaction can be sent. */
  from: string;
  /** Id of the list of known accounts. */
  accounts: string;
}

/** A function without parameters: its present value. */
export function ValueLine({ method, target }: { method: AbiFunction; target: Target }) {
  const { address, block } = target;
  const { data, error } = useQuery(
    `value ${address} ${signatureOf(method)} ${block}`,
    () => call<Hex>("eth_call", { to: address, data: encoded(method, []) }, block),
    { perBlock: true },
  );
  return (
    <div class="function value-line">
      <code class="signature">{method.name}</code>
      <div>
        {data !== undefined && <Returned method={method} output={data} />}
        {data === undefined && error !== undefined && <Failure error={error} to={address} />}
      </div>
    </div>
  );
}

interface Outcome {
  output?: Hex;
  hash?: Hex;
  error?: Error;
}

/** A form for the parameters of a function: to read it, or to send it in a transaction. */
export function FunctionForm({ method, target, isWrite }: { method: AbiFunction; target: Target; isWrite?: boolean }) {
  const { address, block, from, accounts } = target;
  const [values, setValues] = useState<readonly Written[]>(method.inputs.map(emptyValue));
  const [amount, setAmount] = useState("");
  const [outcome, setOutcome] = useState<Outcome>({});
  const [isBusy, setBusy] = useState(false);
  const isPayable = isWrite && method.stateMutability === "payable";
  const fields = () => {
    const now = Math.max(Math.floor(Date.now() / 1000), Number(live.state.blocks[0]?.timestamp ?? 0));
    const data = encoded(
      method,
      method.inputs.map((input, i) => readValue(input, values[i]!, now)),
    );
    const wei = isPayable && amount.trim() !== "" ? (readValue(AMOUNT, amount, now) as bigint) : 0n;
    return { to: address, data, ...(wei > 0n && { value: numberToHex(wei) }) };
  };
  const run = async (what: () => Promise<Outcome>) => {
    setBusy(true);
    setOutcome({});
    try {
      setOutcome(await what());
    } catch (error) {
      setOutcome({ error: error as Error });
    } finally {
      setBusy(false);
    }
  };
  const read = async (): Promise<Outcome> => {
    const sender = isWrite && from !== WALLET && from !== "" ? { from } : {};
    return { output: await call<Hex>("eth_call", { ...sender, ...fields() }, isWrite ? "latest" : block) };
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void run(isWrite ? async () => ({ hash: await send(from, fields()) }) : read);
  };
  return (
    <details class="function">
      <summary>
        <Signature method={method} />
      </summary>
      <form class="stack" onSubmit={submit}>
        {method.inputs.map((input, i) => (
          <ValueField
            key={i}
            parameter={input}
            value={values[i]!}
            fallbackName={typeOf(input)}
            accounts={accounts}
            onChange={(changed) => setValues(values.map((old, j) => (i === j ? changed : old)))}
          />
        ))}
        {isPayable && (
          <ValueField
            parameter={AMOUNT}
            value={amount}
            fallbackName=""
            accounts=""
            onChange={(text) => setAmount(String(text))}
          />
        )}
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy || (isWrite && from === "")}>
            {isWrite ? "Send" : "Call"}
          </button>
          {isWrite && (
            <button type="button" disabled={isBusy} onClick={() => void run(read)}>
              Try without sending
            </button>
          )}
        </div>
        <div class="stack" aria-live="polite">
          {outcome.error !== undefined && <Failure error={outcome.error} to={address} />}
          {outcome.output !== undefined && (
            <div class="outcome">
              <h4>Returned</h4>
              <Returned method={method} output={outcome.output} />
            </div>
          )}
          {outcome.hash !== undefined && <Sent hash={outcome.hash} method={method} to={address} />}
        </div>
      </form>
    </details>
  );
}

/** The coins that a payable function gets. */
const AMOUNT = { name: "coins to send, in wei", type: "uint256" } as const;

function Signature({ method }: { method: AbiFunction }): ComponentChildren {
  return (
    <code class="signature">
      <strong>{method.name}</strong>(
      {method.inputs.map((input, i) => (
        <Fragment key={i}>
          {i > 0 && ", "}
          <span class="type">{typeOf(input)}</span>
          {input.name && ` ${input.name}`}
        </Fragment>
      ))}
      )
    </code>
  );
}

function encoded(method: AbiFunction, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: [method], functionName: method.name, args });
}
