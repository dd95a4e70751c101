import { useState } from "preact/hooks";
import { integerOf } from "../contract/values.js";
import { grouped } from "../format/numbers.js";
import { utc } from "../format/time.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useStore } from "../node/store.js";
import { Card } from "../ui/parts.js";
import { type Point, useActions } from "./actions.js";

const MAX_MINED = 1_000;

/** Blocks, the clock and snapshots, as scripts change them by `evm_…`. */
export function ChainCard() {
  const { height, blocks } = useStore(live);
  const { points, problem, isBusy, act, keep, revert } = useActions();
  const [count, setCount] = useState("10");
  const [time, setTime] = useState("now + 1 d");
  const [wrong, setWrong] = useState("");
  const last = points.at(-1);
  const own = points.filter(({ isOwn }) => isOwn);
  const mine = (number: number) =>
    act(number === 1 ? "mine a block" : `mine ${grouped(number)} blocks`, () =>
      call("hardhat_mine", `0x${number.toString(16)}`),
    );
  const mineMany = () => {
    const number = Number(count.trim());
    if (!(Number.isInteger(number) && number >= 1 && number <= MAX_MINED)) {
      setWrong(`"${count}" is no number of blocks from 1 to ${grouped(MAX_MINED)}`);
      return;
    }
    setWrong("");
    void mine(number);
  };
  const setClock = () => {
    const now = Number(blocks[0]?.timestamp ?? 0);
    const seconds = integerOf(time, now);
    if (seconds === undefined || seconds <= BigInt(now) || seconds > 4_000_000_000n) {
      setWrong(`"${time}" is no time after that of the best block: write now + 1 h, now + 7 d, or seconds since 1970`);
      return;
    }
    setWrong("");
    void act(`set the time to ${utc(Number(seconds))}`, async () => {
      await call("evm_setNextBlockTimestamp", Number(seconds));
      await call("hardhat_mine", "0x1");
    });
  };
  return (
    <Card
      title="Time and chain"
      note={height !== undefined && blocks[0] && `#${grouped(height)}, ${utc(Number(blocks[0].timestamp))}`}
    >
      <div class="controls">
        <form
          class="row end"
          onSubmit={(event) => {
            event.preventDefault();
            mineMany();
          }}
        >
          <button type="button" disabled={isBusy} onClick={() => void mine(1)}>
            Mine a block
          </button>
          <label>
            Blocks
            <input
              class="short"
              inputMode="numeric"
              value={count}
              onInput={(event) => setCount(event.currentTarget.value)}
            />
          </label>
          <button type="submit" disabled={isBusy}>
            Mine
          </button>
        </form>
        <form
          class="row end"
          onSubmit={(event) => {
            event.preventDefault();
            setClock();
          }}
        >
          <label>
            Time of the next block
            <input value={time} spellcheck={false} onInput={(event) => setTime(event.currentTarget.value)} />
          </label>
          <button type="submit" disabled={isBusy}>
            Set and mine
          </button>
        </form>
        <div class="row end">
          <button type="button" disabled={isBusy} onClick={() => void keep()}>
            Take a snapshot
          </button>
          {last !== undefined && !last.isOwn && (
            <button type="button" disabled={isBusy} onClick={() => void revert(last)}>
              Undo: {last.name}
            </button>
          )}
        </div>
      </div>
      {own.length > 0 && <Snapshots points={own} isBusy={isBusy} onRevert={revert} />}
      <div aria-live="polite">
        {(wrong || problem) !== "" && (
          <p class="notice bad" role="alert">
            {wrong || problem}
          </p>
        )}
      </div>
      <p class="note">
        To undo or to revert is to return to an earlier height, and to its clock. Later blocks are deleted, whoever made
        them.
      </p>
    </Card>
  );
}

interface SnapshotsProps {
  points: readonly Point[];
  isBusy: boolean;
  onRevert(point: Point): Promise<void>;
}

function Snapshots({ points, isBusy, onRevert }: SnapshotsProps) {
  return (
    <ul class="snapshots" aria-label="Snapshots">
      {points.map((point) => (
        <li key={point.id} class="row">
          <span>Snapshot at block {grouped(point.height)}</span>
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void onRevert(point)}>
            Revert <span class="hidden">to block {point.height}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
