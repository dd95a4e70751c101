import { type AbiFunction, abiFunction, decodeArguments, keccak256, toHex, utf8 } from "@cambium/primitives";
import { shown } from "./console-log.js";

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

/** A function or error by name, and its definition if its arguments can be decoded. */
export interface Signature {
  /** As in `transfer(address,uint256)`. */
  text: string;
  /** Undefined if it has types that are not decoded: structs and arrays of fixed length. */
  definition: AbiFunction | undefined;
}

export type SignatureKind = "function" | "error";

export interface SignatureSource {
  /** Undefined if the selector, 8 hex digits, is unknown. */
  find(kind: SignatureKind, selector: string): Signature | undefined;
}

/** Throws nothing: types that are not known make a signature without definition. */
export function signature(name: string, types: readonly string[]): [selector: string, Signature] {
  const text = `${name}(${types.join(",")})`;
  try {
    const definition = abiFunction(name, types, []);
    return [definition.selector, { text, definition }];
  } catch {
    return [toHex(keccak256(utf8(text)).subarray(0, SELECTOR_BYTES)), { text, definition: undefined }];
  }
}

function table(text: string): ReadonlyMap<string, Signature> {
  const all = text.trim().split(/\s+/);
  return new Map(
    all.map((one) => {
      const [name, types] = one.slice(0, -1).split("(") as [string, string];
      return signature(name, types === "" ? [] : types.split(","));
    }),
  );
}

/** Names of functions and errors: those of a source, then those of widespread libraries. */
export class KnownSignatures {
  private readonly functions = table(FUNCTIONS);
  private readonly errors = table(ERRORS);

  constructor(private readonly own?: SignatureSource) {}

  /** Name of the function that call data selects, or the selector; undefined without a whole one. */
  functionName(input: Uint8Array): string | undefined {
    if (input.length < SELECTOR_BYTES) return undefined;
    const selector = toHex(input.subarray(0, SELECTOR_BYTES));
    const known = this.own?.find("function", selector) ?? this.functions.get(selector);
    return known?.text ?? `0x${selector}`;
  }

  /** The error that a revert returns, in words; unknown ones by their data. */
  revertText(output: Uint8Array): string {
    if (output.length === 0) return "without a reason";
    const selector = toHex(output.subarray(0, SELECTOR_BYTES));
    const error = this.own?.find("error", selector) ?? this.errors.get(selector);
    if (error === undefined) return `custom error 0x${toHex(output)}`;
    const values = error.definition && decoded(error.definition, output);
    if (values === undefined) return `${error.text} 0x${toHex(output)}`;
    const { name } = error.definition!;
    if (name === "Error") return `"${values[0]}"`;
    if (name === "Panic") return `panic ${values[0]} (${PANICS[String(values[0])] ?? "unknown"})`;
    return `${name}(${values.join(", ")})`;
  }
}

function decoded(error: AbiFunction, output: Uint8Array): unknown[] | undefined {
  try {
    return decodeArguments(error, output).map((value, i) => shown(value, error.inputs[i]!.name));
  } catch {
    return undefined;
  }
}
