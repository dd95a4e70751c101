import { keccak256, LruCache, toHex } from "@cambium/primitives";

/** Bounds of what is kept. */
const MAX_CODES = 40_000;
const MAX_BYTES = 256 * 2 ** 20;
const MAX_CODE = 2 ** 20;
/** Number of codes whose contract was found, or not found, to cache. */
const CACHED = 1_000;

interface NamedCode {
  name: string;
  code: Uint8Array;
}

/** Names of contracts by the code that a compiler has written. */
export class ContractCodes {
  private readonly deployed: NamedCode[] = [];
  private readonly creating: NamedCode[] = [];
  private readonly found = new LruCache<string, string | undefined>(CACHED);
  private bytes = 0;

  /** Adds the codes of an artifact, in hex. Addresses of libraries that are not known yet are ignored. */
  add(name: string, deployed: unknown, creating: unknown): void {
    this.keep(this.deployed, name, deployed);
    this.keep(this.creating, name, creating);
    this.found.clear();
  }

  /** The contract with this code, or that this code creates, to which arguments may be appended. */
  find(code: Uint8Array, isCreation: boolean): string | undefined {
    const key = `${isCreation} ${toHex(keccak256(code))}`;
    if (this.found.has(key)) return this.found.get(key);
    const known = isCreation ? this.creating : this.deployed;
    const fits = (one: NamedCode) =>
      (isCreation ? one.code.length <= code.length : one.code.length === code.length) && agrees(one.code, code);
    const name = known.findLast(fits)?.name;
    this.found.set(key, name);
    return name;
  }

  private keep(codes: NamedCode[], name: string, text: unknown): void {
    const code = typeof text === "string" ? compiledCode(text) : undefined;
    if (code === undefined || codes.length >= MAX_CODES || this.bytes + code.length > MAX_BYTES) return;
    this.bytes += code.length;
    codes.push({ name, code });
  }
}

/** Returns the bytes of a code with zeros in place of unknown parts, `__$…$__`. Undefined for text that is no code. */
function compiledCode(text: string): Uint8Array | undefined {
  const hex = text.replace(/^0x/, "").replace(/__.{36}__/g, "0".repeat(40));
  const isCode = hex.length > 0 && hex.length <= 2 * MAX_CODE && hex.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(hex);
  return isCode ? new Uint8Array(Buffer.from(hex, "hex")) : undefined;
}

/** Whether the code is the compiled one. A compiler writes zeros where immutable values and addresses will be. */
function agrees(compiled: Uint8Array, code: Uint8Array): boolean {
  for (let i = 0; i < compiled.length; i++) if (compiled[i] !== code[i] && compiled[i] !== 0) return false;
  return true;
}
