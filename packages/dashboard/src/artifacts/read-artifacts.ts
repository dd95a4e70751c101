import type { AbiEntry, Artifact, Gap, SourceFile } from "./artifact.js";
import { readLayout } from "./read-layout.js";

/** Limits of the data read from a file. */
const MAX_CONTRACTS = 5_000;
const MAX_ENTRIES = 5_000;
/** Hex digits: the largest code that any chain accepts, several times. */
const MAX_DIGITS = 2 * 1_048_576;
const MAX_NAME = 300;
const MAX_GAPS = 2_000;
const MAX_MAP = 4_194_304;
const MAX_SOURCES = 500;
const MAX_SOURCE = 2_097_152;
const ENTRY_TYPES: ReadonlySet<unknown> = new Set(["function", "event", "error", "constructor", "fallback", "receive"]);

/** The third field of an entry of a source map. */
const FILE_OF_ENTRY = /(?<![^;])[^:;]*:[^:;]*:(\d+)/g;

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the contracts in the JSON of a file: an ABI; an artifact of Hardhat, Foundry or of this package; the output of
 * the Solidity compiler, standard or combined; or Hardhat's build information. Returns none for any other content.
 * Unknown members are ignored, and so are members beyond the limits.
 */
export function readArtifacts(content: unknown): Artifact[] {
  if (Array.isArray(content)) return one("", "", { abi: content });
  const file = membersOf(content);
  const output = membersOf(file.output);
  if (file.contracts === undefined && output.contracts === undefined) return fromArtifact(file);
  return file.contracts === undefined ? fromOutput(output, membersOf(file.input)) : fromOutput(file, {});
}

/** Hardhat, Foundry, or an {@link Artifact} itself. */
function fromArtifact(file: Members): Artifact[] {
  const [target] = Object.entries(membersOf(settingsOf(file.metadata).compilationTarget));
  const name = text(file.contractName) ?? text(target?.[1]) ?? text(file.name) ?? "";
  return one(name, text(file.sourceName) ?? target?.[0] ?? text(file.source) ?? "", file);
}

function settingsOf(metadata: unknown): Members {
  try {
    return membersOf(membersOf(typeof metadata === "string" ? JSON.parse(metadata) : metadata).settings);
  } catch {
    return {};
  }
}

/** Standard output has files of contracts, combined output has contracts named `file:contract`. */
function fromOutput(output: Members, input: Members): Artifact[] {
  const found: Artifact[] = [];
  const sources = sourcesOf(output, input);
  for (const [path, value] of Object.entries(membersOf(output.contracts))) {
    const contracts = membersOf(value);
    const isCombined = contracts.abi !== undefined;
    const split = path.lastIndexOf(":");
    const named = isCombined ? [[path.slice(split + 1), contracts] as const] : Object.entries(contracts);
    for (const [name, contract] of named) {
      if (found.length >= MAX_CONTRACTS) return found;
      const file = isCombined ? path.slice(0, Math.max(split, 0)) : path;
      for (const artifact of one(name, file, membersOf(contract))) {
        found.push({ ...artifact, ...namedSources(sources, artifact) });
      }
    }
  }
  return found;
}

function sourcesOf(output: Members, input: Members): Record<number, SourceFile> {
  const texts = membersOf(input.sources);
  const sources: Record<number, SourceFile> = {};
  for (const [path, file] of Object.entries(membersOf(output.sources)).slice(0, MAX_SOURCES)) {
    const { id } = membersOf(file);
    const content = membersOf(texts[path]).content;
    if (isIndex(id) && typeof content === "string" && content.length <= MAX_SOURCE) {
      sources[id] = { path: path.slice(0, MAX_NAME), text: content };
    }
  }
  return sources;
}

/** Selects the files that the source maps of an artifact name: a whole project has many more. */
function namedSources(sources: Readonly<Record<number, SourceFile>>, artifact: Artifact): Pick<Artifact, "sources"> {
  const named = new Set<string>();
  for (const map of [artifact.sourceMap, artifact.creationSourceMap]) {
    for (const [, file] of map?.matchAll(FILE_OF_ENTRY) ?? []) named.add(file!);
  }
  const own = Object.entries(sources).filter(([id]) => named.has(id));
  return own.length === 0 ? {} : { sources: Object.fromEntries(own) };
}

function one(name: string, source: string, contract: Members): Artifact[] {
  const abi = abiOf(contract.abi);
  if (abi === undefined) return [];
  const evm = membersOf(contract.evm);
  const creation = contract.creation ?? contract.bin ?? contract.bytecode ?? evm.bytecode;
  const runtime = contract.runtime ?? contract["bin-runtime"] ?? contract.deployedBytecode ?? evm.deployedBytecode;
  const storage = contract.layout ?? contract.storageLayout ?? contract["storage-layout"];
  const layout = readLayout(typeof storage === "string" ? parsed(storage) : storage);
  const sourceMap = contract.sourceMap ?? contract["srcmap-runtime"] ?? membersOf(runtime).sourceMap;
  const creationSourceMap = contract.creationSourceMap ?? contract.srcmap ?? membersOf(creation).sourceMap;
  const sources = ownSources(contract.sources);
  return [
    {
      name: name.slice(0, MAX_NAME),
      source: source.slice(0, MAX_NAME),
      abi,
      creation: codeOf(creation),
      runtime: codeOf(runtime),
      gaps: [
        ...gapList(contract.gaps),
        ...gapsOf(contract.immutableReferences ?? membersOf(runtime).immutableReferences),
      ].slice(0, MAX_GAPS),
      ...(layout && { layout }),
      ...(isMap(sourceMap) && { sourceMap }),
      ...(isMap(creationSourceMap) && { creationSourceMap }),
      ...(sources && { sources }),
    },
  ];
}

function abiOf(value: unknown): AbiEntry[] | undefined {
  const list = typeof value === "string" ? parsed(value) : value;
  if (!Array.isArray(list) || list.length > MAX_ENTRIES) return undefined;
  const entries = list.filter((entry): entry is AbiEntry => ENTRY_TYPES.has(membersOf(entry).type));
  return entries.length === 0 && list.length > 0 ? undefined : entries;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A string, or an object with the member `object`. */
function codeOf(value: unknown): string {
  const code = typeof value === "string" ? value : membersOf(value).object;
  if (typeof code !== "string" || code.length > MAX_DIGITS) return "";
  return code.replace(/^0x/, "").toLowerCase();
}

function gapsOf(references: unknown): Gap[] {
  return Object.values(membersOf(references)).flatMap(gapList);
}

function gapList(places: unknown): Gap[] {
  if (!Array.isArray(places)) return [];
  const gaps = places.slice(0, MAX_GAPS).map(membersOf);
  return gaps.flatMap(({ start, length }) => (isIndex(start) && isIndex(length) ? [{ start, length }] : []));
}

/** Returns the sources of an {@link Artifact}; sources of an AST or of other formats have other members. */
function ownSources(value: unknown): Record<number, SourceFile> | undefined {
  const files = Object.entries(membersOf(value)).slice(0, MAX_SOURCES);
  const own = files.flatMap(([id, file]) => {
    const { path, text: content } = membersOf(file);
    const isFile = typeof path === "string" && typeof content === "string" && content.length <= MAX_SOURCE;
    return isFile && isIndex(Number(id)) ? [[id, { path: path.slice(0, MAX_NAME), text: content }] as const] : [];
  });
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isMap(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_MAP;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
