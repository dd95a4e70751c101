import { BRIDGE_ADDRESS } from "@cambium/config";
import { accountOf, cellAddress, type PreAccount, type StoryStart } from "@cambium/conformance";
import { OPCODES } from "@cambium/evm";
import { bigintToBytes, concatBytes, toData } from "@cambium/primitives";
import { BRIDGE_ACCOUNT, FORWARDER, FORWARDER_CODE, PegStory, RICH, type Signer, USER } from "../peg-story.js";

/** Content of a story. */
export interface TrapText {
  network?: StoryStart["network"];
  height: number;
  /** The rule in one sentence. */
  rule: string;
  spec: string;
  /** Values that the network's chain holds, each with the path of the result that contains it. */
  figures?: readonly (readonly [what: string, at: string, value: string])[];
  /** Names of the bridge's cells to record after the last block. */
  cells?: readonly string[];
  /** Accounts to record after the last block. */
  accounts?: readonly Uint8Array[];
}

export interface Trap {
  text: TrapText;
  story: PegStory;
}

/** A trap as one line, with this client's results. */
export function trapLine({ text, story }: Trap): string {
  const { height, rule, spec, figures = [], cells = [], accounts = [] } = text;
  return story.line({
    height,
    rule,
    spec,
    figures: figures.map(([what, at, value]) => ({ what, at, value })),
    cells: Object.fromEntries(
      cells.map((name) => {
        const value = story.state.getStorageBytes(BRIDGE_ADDRESS, cellAddress(name));
        return [name, value === undefined ? null : toData(value)];
      }),
    ),
    accounts: Object.fromEntries(accounts.map((address) => [toData(address), accountOf(story.state, address)])),
  });
}

interface Start {
  /** Height of the first block. */
  from?: number;
  /** Accounts besides the sender's. */
  pre?: Readonly<Record<string, PreAccount>>;
  /** Signers with coins. */
  signers?: readonly Signer[];
  /** Accounts that replace signers. */
  aliases?: StoryStart["aliases"];
}

/** Starts a story whose next block has the height of `from`, or of the trap. */
export function begin(
  text: TrapText,
  { from = text.height, pre, signers = [USER], aliases = [] }: Start = {},
): PegStory {
  const accounts = [...signers.map(({ address }) => address), ...aliases.map(([, account]) => account)];
  const rich = Object.fromEntries(accounts.map((address) => [toData(address), RICH]));
  const name = `${text.height}-${text.spec.replace(/\W+/g, "-")}`;
  return new PegStory(name, text.network ?? "main", from - 1, { pre: { ...rich, ...pre }, aliases, logs: true });
}

/** The accounts of stories about the bridge. */
export const PEG = {
  [toData(BRIDGE_ADDRESS)]: BRIDGE_ACCOUNT,
  [toData(FORWARDER)]: { nonce: "0x0", balance: "0x0", code: FORWARDER_CODE, contract: true },
};

const BY_NAME: ReadonlyMap<string, number> = new Map([...OPCODES].map(([op, { name }]) => [name, op]));
const PUSH0 = 0x5f;

/** Code of a text of opcode names and numbers. A number is pushed with at least one byte, as old heights need. */
export function code(text: string): string {
  const parts = text.trim().split(/\s+/);
  return toData(concatBytes(...parts.map((token) => (/^\d/.test(token) ? pushed(token) : opcode(token)))));
}

function pushed(token: string): Uint8Array {
  const bytes = BigInt(token) === 0n ? Uint8Array.of(0) : bigintToBytes(BigInt(token));
  return concatBytes(Uint8Array.of(PUSH0 + bytes.length), bytes);
}

function opcode(name: string): Uint8Array {
  const op = BY_NAME.get(name);
  if (op === undefined) throw new Error(`there is no opcode ${name}`);
  return Uint8Array.of(op);
}

/** An account with code. */
export function contract(text: string): PreAccount {
  return { nonce: "0x1", balance: "0x0", code: code(text), contract: true };
}

/** Address of twenty equal bytes. */
export function account(byte: number): Uint8Array {
  return new Uint8Array(20).fill(byte);
}
