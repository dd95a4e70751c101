import { useId, useState } from "preact/hooks";
import type { AbiFunction } from "viem";
import { useArtifact } from "../artifacts/artifacts.js";
import { grouped } from "../format/numbers.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { Hex } from "../node/types.js";
import { Card } from "../ui/parts.js";
import { ArtifactBox } from "./artifact-box.js";
import { FunctionForm, type Target, ValueLine } from "./function-form.js";
import { functionsOf, isRead, signatureOf } from "./functions.js";
import { readSenders, type Senders, WALLET } from "./senders.js";

const NO_SENDERS: Senders = { accounts: [], hasWallet: false };
/** Values that are read by themselves. */
const MAX_VALUES = 40;

/** The functions of a contract by its ABI, or a box that takes one. */
export function ContractCard({ address, code }: { address: Hex; code: Hex }) {
  const artifact = useArtifact(address);
  const { modules } = useStore(live);
  const senders = useQuery(`senders ${modules.has("dev")}`, readSenders).data ?? NO_SENDERS;
  if (artifact === undefined) {
    return (
      <Card title="Functions">
        <ArtifactBox address={address} code={code} />
      </Card>
    );
  }
  const functions = functionsOf(artifact.abi);
  return (
    <>
      <Functions key={address} address={address} senders={senders} functions={functions} name={artifact.name} />
      <Card title="Artifact" note={artifact.source || undefined}>
        <details>
          <summary>Replace the ABI of this contract</summary>
          <ArtifactBox address={address} code={code} />
        </details>
      </Card>
    </>
  );
}

interface FunctionsProps {
  address: Hex;
  senders: Senders;
  functions: readonly AbiFunction[];
  name: string;
}

function Functions({ address, senders, functions, name }: FunctionsProps) {
  const [block, setBlock] = useState("");
  const [chosen, setFrom] = useState<string>();
  const accounts = useId();
  const fromId = useId();
  const from = chosen ?? senders.accounts[0] ?? (senders.hasWallet ? WALLET : "");
  const target: Target = { address, block: blockOf(block), senders, from, accounts };
  const reads = functions.filter(isRead);
  const values = reads.filter(({ inputs }) => inputs.length === 0).slice(0, MAX_VALUES);
  const asked = reads.filter((method) => !values.includes(method));
  const writes = functions.filter((method) => !isRead(method));
  return (
    <>
      <datalist id={accounts}>
        {senders.accounts.map((account) => (
          <option key={account} value={account} />
        ))}
      </datalist>
      <Card
        title={name === "" ? "Read" : `Read ${name}`}
        note={
          <label class="inline">
            at block
            <input
              class="short"
              value={block}
              placeholder="latest"
              spellcheck={false}
              onInput={(event) => setBlock(event.currentTarget.value)}
            />
          </label>
        }
      >
        {reads.length === 0 && <p class="empty">The ABI has no functions to read</p>}
        <div class="functions">
          {values.map((method) => (
            <ValueLine key={signatureOf(method)} method={method} target={target} />
          ))}
          {asked.map((method) => (
            <FunctionForm key={signatureOf(method)} method={method} target={target} />
          ))}
        </div>
      </Card>
      {(senders.accounts.length > 0 || senders.hasWallet) && writes.length > 0 && (
        <Card
          title={name === "" ? "Write" : `Write ${name}`}
          note={
            <label class="inline" for={fromId}>
              from
              <select id={fromId} value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
                {senders.accounts.map((account, i) => (
                  <option key={account} value={account}>
                    {`(${grouped(i)}) ${account.slice(0, 8)}…${account.slice(-6)}`}
                  </option>
                ))}
                {senders.hasWallet && <option value={WALLET}>the wallet of this browser</option>}
              </select>
            </label>
          }
        >
          <div class="functions">
            {writes.map((method) => (
              <FunctionForm key={signatureOf(method)} method={method} target={target} isWrite />
            ))}
          </div>
        </Card>
      )}
    </>
  );
}

/** Returns a block as JSON-RPC writes it; the latest one for invalid text. */
function blockOf(text: string): string {
  const word = text.trim().replaceAll(",", "").toLowerCase();
  if (/^\d{1,15}$/.test(word)) return `0x${Number(word).toString(16)}`;
  return /^(0x[0-9a-f]{1,12}|earliest|pending|safe|finalized)$/.test(word) ? word : "latest";
}
