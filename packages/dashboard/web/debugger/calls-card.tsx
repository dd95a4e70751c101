import { constructorArguments } from "../../src/artifacts/match-code.js";
import { useArtifact } from "../artifacts/artifacts.js";
import { constructorOf } from "../contract/functions.js";
import { type Decoded, decodeCall, decodeConstructor, decodeReturn } from "../decode/decode.js";
import { failureOf } from "../decode/failure.js";
import { coins, grouped } from "../format/numbers.js";
import type { CallFrame, Hex } from "../node/types.js";
import { Account } from "../ui/account.js";
import { coinName } from "../ui/coins.js";
import { Badge, Card, Loaded, Missing, Table } from "../ui/parts.js";
import type { Trace } from "../ui/why.js";
import { FailingLine } from "./failing-line.js";
import { FlameGraph } from "./flame-graph.js";
import { contractKey, flattened, isCreation } from "./frames.js";

/** Rows shown of a trace. */
const MAX_FRAMES = 500;
const MAX_TEXT = 160;

/** Shows the calls of a transaction, with their input, their output, and the gas they used. */
export function CallsCard({ hash, trace }: { hash: Hex; trace: Trace }) {
  return (
    <Card title="Calls">
      <Loaded query={trace} missing={<Missing what="traces" flag="--rpc.modules debug" />}>
        {(root) => root !== undefined && <Calls hash={hash} root={root} />}
      </Loaded>
    </Card>
  );
}

function Calls({ hash, root }: { hash: Hex; root: CallFrame }) {
  const rows = flattened(root, MAX_FRAMES);
  return (
    <div class="stack">
      {root.error !== undefined && <FailingLine hash={hash} root={root} />}
      <FlameGraph root={root} />
      <Table
        caption="Calls"
        empty="No calls"
        rows={rows}
        keyOf={(_, index) => String(index)}
        columns={[
          {
            title: "Type",
            cell: ({ frame, depth }) => (
              <span class="depth" style={{ paddingLeft: `${Math.min(depth, 12)}rem` }}>
                <Badge tone={frame.error === undefined ? "plain" : "bad"}>{frame.type}</Badge>
              </span>
            ),
          },
          { title: "To", cell: ({ frame }) => (frame.to === undefined ? "–" : <Account address={frame.to} />) },
          { title: "Method", cell: ({ frame }) => <Method frame={frame} root={root} /> },
          { title: `Value (${coinName()})`, isNumber: true, cell: ({ frame }) => coins(frame.value ?? 0n) },
          { title: "Gas used", isNumber: true, cell: ({ frame }) => grouped(BigInt(frame.gasUsed ?? 0)) },
          { title: "Result", cell: ({ frame }) => resultOf(frame) },
        ]}
      />
      {rows.length === MAX_FRAMES && <p class="note">Only the first {MAX_FRAMES} calls are shown.</p>}
    </div>
  );
}

function Method({ frame, root }: { frame: CallFrame; root: CallFrame }) {
  const { to, input = "0x" } = frame;
  const creation = useCreation(isCreation(frame) ? contractKey(frame, root) : undefined, input);
  if (isCreation(frame)) return creation === undefined ? <>creation</> : <Signature decoded={creation} />;
  if (input.length < 10) return <>–</>;
  const decoded = decodeCall(to, input);
  return decoded === undefined ? <code>{input.slice(0, 10)}</code> : <Signature decoded={decoded} />;
}

/** The constructor's arguments in the input of a creation, if the artifact of the contract is known by this key. */
export function useCreation(key: string | undefined, input: Hex): Decoded | undefined {
  const artifact = useArtifact(key);
  const definition = artifact && constructorOf(artifact.abi);
  const data = artifact && constructorArguments(artifact, input);
  return definition && data !== undefined ? decodeConstructor(definition, `0x${data}`) : undefined;
}

function Signature({ decoded: { name, values } }: { decoded: Decoded }) {
  return (
    <span class="call">
      <strong>{name}</strong>({cut(values.map(({ value }) => value).join(", "))})
    </span>
  );
}

function resultOf(frame: CallFrame): string {
  const { error, to, input = "0x", output = "0x" } = frame;
  if (error !== undefined) {
    const { words, selector } = failureOf(error, output);
    const reason = selector === undefined ? words : `${words} ${selector}`;
    return reason === error ? error : `${error}: ${reason}`;
  }
  const returned = isCreation(frame) || output === "0x" ? undefined : decodeReturn(to, input, output);
  return returned === undefined || returned.values.length === 0
    ? "ok"
    : cut(`→ ${returned.values.map(({ value }) => value).join(", ")}`);
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
