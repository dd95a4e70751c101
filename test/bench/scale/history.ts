import { adoptWrites, ChainStore, FACTS, LogIndexWriter, openStateWriter, TABLES } from "@cambium/chain-store";
import { NETWORKS, REWARD_SENDER } from "@cambium/config";
import { openLevelDatabase, WriteQueue } from "@cambium/database";
import { numberToBytes } from "@cambium/primitives";
import { accountKey, cellKey, encodeAccount, type StateChange } from "@cambium/state";
import { NodeCache } from "@cambium/trie";
import { loggingBlock } from "../synthetic-chain.js";
import { type Changes, FIRST } from "./changes.js";
import { countDiskIo, type DiskIo } from "./disk-io.js";
import { addressAt, cellAt } from "./large-state.js";
import { TOKEN } from "./token.js";

const network = NETWORKS.local;
/** Number of cached nodes, as in a node. */
const NODE_CACHE_CAPACITY = 250_000;

export interface HistoryFigures {
  seconds: number;
  io: DiskIo | undefined;
}

/**
 * Adds blocks to a large state, written like imports of old blocks; nothing is executed. A block changes balances and
 * cells to its number and, like any block, the account that sends rewards.
 */
export async function writeHistory(location: string, changes: Changes): Promise<HistoryFigures> {
  const database = await openLevelDatabase(location);
  const [started, io] = [performance.now(), countDiskIo()];
  const queue = new WriteQueue(database, { hashTable: TABLES.stateNodes });
  const store = new ChainStore(queue, network);
  const index = new LogIndexWriter(queue);
  let parent = { number: FIRST - 1, hash: store.bestHash()! };
  let outcome = store.outcome(parent.hash)!;
  const states = openStateWriter(store.states, new NodeCache(NODE_CACHE_CAPACITY), { ...parent, ...outcome }, {});
  for (let number = FIRST; number <= changes.head; number++) {
    const log = { address: TOKEN, topics: [], data: new Uint8Array(0) };
    const { block, receipts } = loggingBlock(number, parent.hash, log);
    const { hash } = block;
    const state = states.after(parent, outcome)!.after(stateChanges(number, changes));
    outcome = { stateRoot: state.root, totalDifficulty: BigInt(number + 1) };
    const change = { commonAncestor: parent.hash, removed: [], added: [hash] };
    queue.append([
      ...store.blockWrites(block, receipts, outcome),
      ...adoptWrites(block),
      ...index.add(number, receipts),
      ...states.accept({ number, hash }, state, change, { isBehind: true }),
      { table: TABLES.facts, key: FACTS.best, value: hash },
    ]);
    parent = { number, hash };
    await queue.room();
  }
  await queue.idle();
  await database.close();
  return { seconds: (performance.now() - started) / 1_000, io: io() };
}

function stateChanges(number: number, changes: Changes): StateChange[] {
  const token = accountKey(TOKEN);
  const accounts = changes.in(number).map((index) => ({ key: accountKey(addressAt(index)), value: balance(number) }));
  const cells = changes
    .in(number)
    .map((index) => ({ key: cellKey(token, cellAt(index)), value: numberToBytes(number) }));
  const sender = { nonce: BigInt(number), balance: 0n, flags: 0 };
  return [...accounts, ...cells, { key: accountKey(REWARD_SENDER), value: encodeAccount(sender) }];
}

function balance(number: number): Uint8Array {
  return encodeAccount({ nonce: 0n, balance: BigInt(number), flags: 0 });
}
