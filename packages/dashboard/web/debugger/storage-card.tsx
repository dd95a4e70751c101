import { useMemo } from "preact/hooks";
import { useArtifact } from "../artifacts/artifacts.js";
import { grouped } from "../format/numbers.js";
import { callAlone, isMissing } from "../node/client.js";
import { useQuery } from "../node/query.js";
import type { CallFrame, Hex } from "../node/types.js";
import { Account } from "../ui/account.js";
import { Card, Loaded, Table } from "../ui/parts.js";
import { flattened } from "./frames.js";
import { namesOfSlots, partOf, type SlotPart } from "./storage-names.js";

/** Result of `prestateTracer` with `diffMode`. */
interface Difference {
  pre: Readonly<Record<string, { storage?: Readonly<Record<string, string>> }>>;
  post: Readonly<Record<string, { storage?: Readonly<Record<string, string>> }>>;
}

interface Change {
  slot: string;
  before: string;
  after: string;
}

const MAX_CHANGES = 200;
const MAX_FRAMES = 500;
const MAX_KEYS = 100;
/** Small numbers that are tried as keys of mappings. */
const SMALL_KEYS = 32;
const EMPTY = `0x${"0".repeat(64)}`;

/** Shows the storage that a transaction changed, by the names of its variables if they are known. */
export function StorageCard({ hash, root }: { hash: Hex; root: CallFrame }) {
  const query = useQuery(`storage ${hash}`, () =>
    callAlone<Difference>("debug_traceTransaction", hash, {
      tracer: "prestateTracer",
      tracerConfig: { diffMode: true, disableCode: true },
    }),
  );
  const keys = useMemo(() => keysOf(root), [root]);
  if (query.error !== undefined && isMissing(query.error)) return null;
  return (
    <Card title="Storage changes">
      <Loaded query={query}>
        {(difference) => {
          const accounts = changesOf(difference);
          if (accounts.length === 0) return <p class="empty">No storage was changed</p>;
          return (
            <div class="stack">
              {accounts.map(({ address, changes }) => (
                <Changes key={address} address={address} changes={changes} keys={keys} />
              ))}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

interface ChangesProps {
  address: string;
  changes: readonly Change[];
  keys: readonly bigint[];
}

interface Row extends Change {
  part: SlotPart | undefined;
}

function Changes({ address, changes, keys }: ChangesProps) {
  const layout = useArtifact(address)?.layout;
  const names = useMemo(() => (layout === undefined ? undefined : namesOfSlots(layout, keys)), [layout, keys]);
  const rows = changes.slice(0, MAX_CHANGES).flatMap((change): Row[] => {
    const parts = names?.get(BigInt(change.slot)) ?? [];
    const changed = parts.filter((part) => partOf(change.before, part) !== partOf(change.after, part));
    return changed.length === 0 ? [{ ...change, part: undefined }] : changed.map((part) => ({ ...change, part }));
  });
  return (
    <section>
      <h3>
        <Account address={address} />
      </h3>
      <Table
        caption={`Storage of ${address}`}
        empty="No changes"
        rows={rows}
        keyOf={({ slot, part }) => `${slot} ${part?.name}`}
        columns={[
          { title: "Variable", cell: ({ slot, part }) => <Name slot={slot} part={part} /> },
          { title: "Before", cell: ({ before, part }) => <Value word={before} part={part} /> },
          { title: "After", cell: ({ after, part }) => <Value word={after} part={part} /> },
        ]}
      />
      {changes.length > MAX_CHANGES && <p class="note">{grouped(changes.length - MAX_CHANGES)} more are not shown.</p>}
    </section>
  );
}

function Name({ slot, part }: { slot: string; part: SlotPart | undefined }) {
  if (part === undefined) {
    const number = BigInt(slot);
    return (
      <code title={slot}>{number < 1_000_000n ? `slot ${number}` : `${slot.slice(0, 10)}…${slot.slice(-6)}`}</code>
    );
  }
  const name = part.name.replace(/0x([0-9a-f]{6})[0-9a-f]{30}([0-9a-f]{4})/g, "0x$1…$2");
  return (
    <span title={`${part.name}, slot ${slot}`}>
      <code>{name}</code> <span class="note">{part.type}</span>
    </span>
  );
}

function Value({ word, part }: { word: string; part: SlotPart | undefined }) {
  if (part !== undefined) return <>{partOf(word, part)}</>;
  const number = BigInt(word);
  return <code title={word}>{number < 2n ** 64n ? grouped(number) : `${word.slice(0, 10)}…${word.slice(-8)}`}</code>;
}

/** Cells that are only before the transaction were set to zero by it. */
function changesOf({ pre, post }: Difference): { address: string; changes: Change[] }[] {
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])];
  return addresses.flatMap((address) => {
    const [before, after] = [pre[address]?.storage ?? {}, post[address]?.storage ?? {}];
    const slots = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    const changes = slots
      .map((slot) => ({ slot, before: before[slot] ?? EMPTY, after: after[slot] ?? EMPTY }))
      .filter((change) => BigInt(change.before) !== BigInt(change.after));
    return changes.length === 0 ? [] : [{ address, changes }];
  });
}

/** Keys that mappings may have: accounts of the transaction, words of its calls, and small numbers. */
function keysOf(root: CallFrame): bigint[] {
  const keys = new Set<bigint>();
  for (const { frame } of flattened(root, MAX_FRAMES)) {
    for (const address of [frame.from, frame.to]) if (address !== undefined) keys.add(BigInt(address));
    const words = frame.type.startsWith("CREATE") ? [] : ((frame.input ?? "0x").slice(10).match(/.{64}/g) ?? []);
    for (const word of words.slice(0, 8)) keys.add(BigInt(`0x${word}`));
    if (keys.size > MAX_KEYS) break;
  }
  for (let i = 0; i < SMALL_KEYS; i++) keys.add(BigInt(i));
  return [...keys];
}
