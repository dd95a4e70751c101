import { keccak256, toHex, utf8 } from "@cambium/primitives";
import type { Log } from "@cambium/types";
import { hexText, parseTypes, type ValueForm, valueTexts, wordText } from "./abi-text.js";

/** Functions of widespread standards and libraries. */
const FUNCTIONS = `
transfer(address,uint256) approve(address,uint256) transferFrom(address,address,uint256) mint(address,uint256) mint(uint256) burn(uint256)
burnFrom(address,uint256) increaseAllowance(address,uint256) decreaseAllowance(address,uint256) balanceOf(address) allowance(address,address)
totalSupply() safeTransferFrom(address,address,uint256) safeTransferFrom(address,address,uint256,bytes) setApprovalForAll(address,bool)
ownerOf(uint256) transferOwnership(address) renounceOwnership() acceptOwnership() grantRole(bytes32,address) revokeRole(bytes32,address)
renounceRole(bytes32,address) pause() unpause() initialize() initialize(address) deposit() withdraw() withdraw(uint256) upgradeTo(address)
upgradeToAndCall(address,bytes) increment() setNumber(uint256) add(uint256) total()
`;

/** Errors of the compiler and of widespread libraries. */
const ERRORS = `
Error(string) Panic(uint256) ERC20InsufficientBalance(address,uint256,uint256) ERC20InvalidSender(address) ERC20InvalidReceiver(address)
ERC20InsufficientAllowance(address,uint256,uint256) ERC20InvalidApprover(address) ERC20InvalidSpender(address) ERC721InvalidOwner(address)
ERC721NonexistentToken(uint256) ERC721IncorrectOwner(address,uint256,address) ERC721InvalidSender(address) ERC721InvalidReceiver(address)
ERC721InsufficientApproval(address,uint256) ERC721InvalidApprover(address) ERC721InvalidOperator(address)
OwnableUnauthorizedAccount(address) OwnableInvalidOwner(address) AccessControlUnauthorizedAccount(address,bytes32)
AccessControlBadConfirmation() EnforcedPause() ExpectedPause() ReentrancyGuardReentrantCall() InvalidInitialization() NotInitializing()
AddressEmptyCode(address) AddressInsufficientBalance(address) FailedInnerCall() FailedCall() SafeERC20FailedOperation(address)
MathOverflowedMulDiv() InsufficientBalance(uint256,uint256)
`;

/** Events of widespread standards; a star marks a parameter in a topic. */
const EVENTS = `
Transfer(address*,address*,uint256) Approval(address*,address*,uint256) Transfer(address*,address*,uint256*)
Approval(address*,address*,uint256*) ApprovalForAll(address*,address*,bool) OwnershipTransferred(address*,address*)
RoleGranted(bytes32*,address*,address*) RoleRevoked(bytes32*,address*,address*) Paused(address) Unpaused(address) Upgraded(address*)
TransferSingle(address*,address*,address*,uint256,uint256) Initialized(uint64) Deposit(address*,uint256) Withdrawal(address*,uint256)
`;

/** Meanings of the compiler's panic codes. */
const PANICS: Readonly<Record<string, string>> = {
  "1": "assertion failed",
  "17": "arithmetic overflow or underflow",
  "18": "division or modulo by zero",
  "33": "conversion to an enum out of range",
  "34": "malformed storage byte array",
  "49": "pop of an empty array",
  "50": "array index out of bounds",
  "65": "too much memory",
  "81": "call of an uninitialised internal function",
};

const SELECTOR_BYTES = 4;

/** A function, error or event by name. */
export interface Signature {
  name: string;
  /** Signature, like `transfer(address,uint256)`. */
  text: string;
  /** Undefined if one of them is no type. */
  types: ReturnType<typeof parseTypes>;
  /** Whether each parameter of an event is a topic. */
  indexed?: readonly boolean[];
}

export type SignatureKind = "function" | "error" | "event";

/** Names that a developer's files have. */
export interface SignatureSource {
  /** Undefined if the key of {@link signature} is unknown. */
  find(kind: SignatureKind, key: string): Signature | undefined;
  /** The contract with this code, or that this code creates. */
  contractName(code: Uint8Array, isCreation: boolean): string | undefined;
}

/**
 * Returns a signature and its key: the selector in hex. For an event, the key is the first topic and the number of
 * parameters in topics, which differs among events of one name.
 */
export function signature(
  name: string,
  types: readonly string[],
  indexed?: readonly boolean[],
): [key: string, Signature] {
  const text = `${name}(${types.join(",")})`;
  const hash = keccak256(utf8(text));
  const made = { name, text, types: parseTypes(types.join(",")), indexed };
  return [indexed === undefined ? toHex(hash.subarray(0, SELECTOR_BYTES)) : eventKey(hash, count(indexed)), made];
}

function eventKey(hash: Uint8Array, indexed: number): string {
  return `${toHex(hash)} ${indexed}`;
}

function count(indexed: readonly boolean[]): number {
  return indexed.filter((one) => one).length;
}

function table(text: string, areEvents = false): ReadonlyMap<string, Signature> {
  const all = text.trim().split(/\s+/);
  return new Map(
    all.map((one) => {
      const [name, list] = one.slice(0, -1).split("(") as [string, string];
      const types = list === "" ? [] : list.split(",");
      const plain = types.map((type) => type.replace("*", ""));
      return areEvents
        ? signature(
            name,
            plain,
            types.map((type) => type.endsWith("*")),
          )
        : signature(name, plain);
    }),
  );
}

/** Names of functions, events, errors and contracts: those of a source, then those of widespread libraries. */
export class KnownSignatures {
  private readonly common = { function: table(FUNCTIONS), error: table(ERRORS), event: table(EVENTS, true) };

  constructor(private readonly own?: SignatureSource) {}

  /** Signature of the function that call data selects, or the selector; undefined without a whole one. */
  functionName(input: Uint8Array): string | undefined {
    if (input.length < SELECTOR_BYTES) return undefined;
    return this.functionOf(input)?.text ?? hexText(input.subarray(0, SELECTOR_BYTES), "whole");
  }

  /** `transfer` and its arguments, each as text. Unknown functions have their selector as name. */
  call(input: Uint8Array, form: ValueForm): { name: string; arguments: string } {
    const known = this.functionOf(input);
    const name = known?.name ?? hexText(input.subarray(0, SELECTOR_BYTES), "whole");
    const rest = input.subarray(SELECTOR_BYTES);
    const values = known?.types && valueTexts(known.types, rest, form);
    return { name, arguments: values?.join(", ") ?? (rest.length === 0 ? "" : hexText(rest, form)) };
  }

  /** `Added(0xf39F…, 42)`; undefined for an event that is not known. */
  eventText({ topics, data }: Log, form: ValueForm): string | undefined {
    const [first, ...words] = topics;
    const event = first && this.find("event", eventKey(first, words.length));
    if (event?.types === undefined || event.indexed === undefined) return event && `${event.name}(…)`;
    const { name, types, indexed } = event;
    const others = valueTexts(
      types.filter((_, i) => !indexed[i]),
      data,
      form,
    );
    if (others === undefined) return `${name}(…)`;
    const values = types.map((type, i) => {
      if (!indexed[i]) return others.shift()!;
      const word = words.shift()!;
      return wordText(type, word, form) ?? hexText(word, form);
    });
    return `${name}(${values.join(", ")})`;
  }

  /**
   * Describes the error that a revert returns. An unknown error is shown by its data, or in the short form by its
   * selector.
   */
  revertText(output: Uint8Array, form: ValueForm = "whole", unknown: ValueForm = form): string {
    if (output.length === 0) return "without a reason";
    const error =
      output.length < SELECTOR_BYTES ? undefined : this.find("error", toHex(output.subarray(0, SELECTOR_BYTES)));
    const shown = unknown === "short" ? output.subarray(0, SELECTOR_BYTES) : output;
    if (error === undefined) return `custom error ${hexText(shown, "whole")}`;
    const values = error.types && valueTexts(error.types, output.subarray(SELECTOR_BYTES), form);
    if (values === undefined) return `${error.text} ${hexText(shown, "whole")}`;
    if (error.text === "Error(string)") return values[0]!;
    if (error.text === "Panic(uint256)") return `panic ${values[0]} (${PANICS[values[0]!] ?? "unknown"})`;
    return `${error.name}(${values.join(", ")})`;
  }

  /** Name of the contract with this code, or that this code creates. */
  contractName(code: Uint8Array, isCreation = false): string | undefined {
    return code.length === 0 ? undefined : this.own?.contractName(code, isCreation);
  }

  private functionOf(input: Uint8Array): Signature | undefined {
    return input.length < SELECTOR_BYTES ? undefined : this.find("function", toHex(input.subarray(0, SELECTOR_BYTES)));
  }

  private find(kind: SignatureKind, key: string): Signature | undefined {
    return this.own?.find(kind, key) ?? this.common[kind].get(key);
  }
}
