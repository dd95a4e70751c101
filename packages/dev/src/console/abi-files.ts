import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type Artifact, readArtifacts } from "@cambium/dashboard";
import { DevError } from "../errors.js";
import { ContractCodes } from "./contract-codes.js";
import { type Signature, type SignatureKind, type SignatureSource, signature } from "./known-signatures.js";

/** Limits of the files read: a large project has some thousand artifacts of some hundred kilobytes. */
const MAX_FILES = 20_000;
const MAX_FILE_BYTES = 16 * 2 ** 20;
const MAX_BYTES = 1024 * 2 ** 20;
const MAX_DEPTH = 16;
const MAX_SIGNATURES = 200_000;
/** Characters of a contract's name. */
const MAX_NAME = 80;
/** Folders of the compilers' whole output, which artifacts repeat. */
const SKIPPED = new Set(["build-info", "cache", "node_modules"]);
/** Milliseconds between two readings. */
const PAUSE = 2000;

/** A part of an ABI, with the members that names need. */
interface AbiItem {
  type?: unknown;
  name?: unknown;
  inputs?: unknown;
}

interface AbiInput {
  type?: unknown;
  indexed?: unknown;
  components?: unknown;
}

/**
 * Functions, events and errors by the ABIs in files and folders, and names of contracts by their artifacts. The files
 * are read at the start, and again when a name is unknown, because contracts are compiled while a chain runs.
 */
export class AbiFiles implements SignatureSource {
  private readonly known = {
    function: new Map<string, Signature>(),
    error: new Map<string, Signature>(),
    event: new Map<string, Signature>(),
  };
  private readonly codes = new ContractCodes();
  /** Time of change in milliseconds of each file that was read. */
  private readonly times = new Map<string, number>();
  /** Size of all files that were read, in bytes. */
  private bytes = 0;
  private lastReading = 0;
  /** Number of files that were read. */
  readings = 0;

  /** Throws {@link DevError} `ABI_FILE` for a path without a file, and for a named file without an ABI. */
  constructor(
    private readonly paths: readonly string[],
    private readonly now: () => number = () => performance.now(),
    private readonly onFile?: (path: string, artifacts: readonly Artifact[]) => void,
  ) {
    for (const path of paths) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined)
        throw new DevError({ code: "ABI_FILE", path, reason: "there is no such file or folder" });
      if (!found.isDirectory() && !this.readFile(path)) {
        const reason = `expected an ABI, or an artifact with one, of at most ${MAX_FILE_BYTES} bytes`;
        throw new DevError({ code: "ABI_FILE", path, reason });
      }
    }
    this.readAll();
  }

  find(kind: SignatureKind, key: string): Signature | undefined {
    return this.known[kind].get(key) ?? (this.refresh() ? this.known[kind].get(key) : undefined);
  }

  contractName(code: Uint8Array, isCreation: boolean): string | undefined {
    return this.codes.find(code, isCreation) ?? (this.refresh() ? this.codes.find(code, isCreation) : undefined);
  }

  /** Reads the files that have changed. Returns false if it has done so a moment before. */
  refresh(): boolean {
    if (this.now() < this.lastReading + PAUSE) return false;
    this.readAll();
    return true;
  }

  private readAll(): void {
    for (const path of this.paths) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory()) this.readFolder(path, 0);
      else if (found !== undefined) this.readFile(path);
    }
    this.lastReading = this.now();
  }

  private readFolder(folder: string, depth: number): void {
    for (const entry of entriesOf(folder)) {
      if (this.times.size >= MAX_FILES) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH && !SKIPPED.has(entry.name)) this.readFolder(path, depth + 1);
      } else if (entry.name.endsWith(".json") && !entry.name.endsWith(".dbg.json")) {
        this.readFile(path);
      }
    }
  }

  /** Returns whether the file has an ABI. An unchanged file is not read again. */
  private readFile(path: string): boolean {
    try {
      const { mtimeMs, size } = statSync(path);
      if (this.times.get(path) === mtimeMs) return true;
      this.times.set(path, mtimeMs);
      if (size > MAX_FILE_BYTES || this.bytes + size > MAX_BYTES) return false;
      this.bytes += size;
      this.readings++;
      const content: unknown = JSON.parse(readFileSync(path, "utf8"));
      const artifacts = readArtifacts(content);
      for (const artifact of artifacts) {
        this.addArtifact(artifact.name === "" ? { ...artifact, name: basename(path, ".json") } : artifact);
      }
      this.onFile?.(path, artifacts);
      return artifacts.length > 0;
    } catch {
      // A compiler may be writing the file: it then gets another time, and is read again.
      return false;
    }
  }

  /** Adds the names of an artifact, which no file needs to have. */
  addArtifact({ name, abi, creation, runtime }: Artifact): void {
    for (const item of abi) this.add(item);
    if (creation !== "" || runtime !== "") this.codes.add(name.slice(0, MAX_NAME), runtime, creation);
  }

  private add({ type, name, inputs }: AbiItem): void {
    if (type !== "function" && type !== "error" && type !== "event") return;
    if (typeof name !== "string" || !Array.isArray(inputs)) return;
    const types = inputs.map((input) => canonicalType(input, 0));
    if (types.includes(undefined) || this.known[type].size >= MAX_SIGNATURES) return;
    const indexed = type === "event" ? inputs.map((input: AbiInput) => input.indexed === true) : undefined;
    const [key, made] = signature(name, types as string[], indexed);
    this.known[type].set(key, made);
  }
}

/** The content of a file that has been read before; undefined if it is no JSON now, or too large. */
export function readJson(path: string): unknown {
  try {
    return statSync(path).size > MAX_FILE_BYTES ? undefined : JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The type as signatures write it: a struct by its members. Undefined if it is no type. */
function canonicalType(input: unknown, depth: number): string | undefined {
  const { type, components } = (input ?? {}) as AbiInput;
  if (typeof type !== "string" || type.length > 100) return undefined;
  if (!type.startsWith("tuple")) return type;
  if (!Array.isArray(components) || depth >= MAX_DEPTH) return undefined;
  const members = components.map((component) => canonicalType(component, depth + 1));
  return members.includes(undefined) ? undefined : `(${members.join(",")})${type.slice("tuple".length)}`;
}
