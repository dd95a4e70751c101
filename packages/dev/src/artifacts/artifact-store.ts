import type { ArtifactName, ContractArtifacts } from "@cambium/api";
import { type Artifact, constructorArguments, matchesCode, readArtifacts } from "@cambium/dashboard";
import { keccak256, LruCache, toHex, utf8 } from "@cambium/primitives";
import { AbiFiles } from "../console/abi-files.js";
import { ArtifactFiles } from "./artifact-files.js";
import { withSources } from "./artifact-sources.js";

/** Limits for artifacts of pages and scripts: the oldest ones make room for others. */
const MAX_ADDED = 500;
const MAX_CHARACTERS = 32 * 2 ** 20;
/** Maximum number of cached artifacts that were found in files, and of codes that were searched. */
const MAX_FOUND = 300;
const MAX_CODES = 5_000;

interface Added {
  artifact: Artifact;
  characters: number;
  /** Digests of the codes that it was given for. */
  codes: Set<string>;
}

/** The artifacts of `node-cli dev`: those added since the start, which come first, and those of `--abi`. */
export class ArtifactStore implements ContractArtifacts {
  /** Names of contracts, functions, events and errors by all artifacts. */
  readonly abis: AbiFiles;
  private readonly files = new ArtifactFiles();
  /** Added artifacts by id, the oldest first. */
  private readonly added = new Map<string, Added>();
  private characters = 0;
  private readonly found = new LruCache<string, Artifact>(MAX_FOUND);
  /** Results of {@link inFiles} by the digest of the code and its kind, and the number of files that had been read. */
  private readonly known = new LruCache<string, { name: ArtifactName | undefined; readings: number }>(MAX_CODES);

  /** Reads the files. Throws {@link DevError}, see {@link AbiFiles}. */
  constructor(paths: readonly string[] | undefined, now?: () => number) {
    this.abis = new AbiFiles(paths ?? [], now, (path, artifacts) => this.files.note(path, artifacts));
  }

  find(code: Uint8Array, isCreation = false): ArtifactName | undefined {
    const digits = toHex(code);
    const digest = toHex(keccak256(code));
    const own = [...this.added].toReversed();
    const found = isCreation
      ? own.find(([, { artifact }]) => constructorArguments(artifact, digits) !== undefined)
      : (own.find(([, { codes }]) => codes.has(digest)) ??
        own.find(([, { artifact }]) => matchesCode(artifact, digits)));
    return found === undefined ? this.inFiles(digits, digest, isCreation) : named(found[0], found[1].artifact);
  }

  read(id: string): object | undefined {
    return this.added.get(id)?.artifact ?? this.found.get(id);
  }

  add(content: object, code?: Uint8Array): ArtifactName | undefined {
    const [artifact, ...more] = readArtifacts(content);
    if (artifact === undefined || more.length > 0) return undefined;
    const [id, characters] = identify(artifact);
    if (characters > MAX_CHARACTERS) return undefined;
    const codes = this.added.get(id)?.codes ?? new Set<string>();
    this.remove(id);
    if (code !== undefined) codes.add(toHex(keccak256(code)));
    this.added.set(id, { artifact, characters, codes });
    this.characters += characters;
    this.abis.addArtifact(artifact);
    for (const [oldest] of this.added) {
      if (this.added.size <= MAX_ADDED && this.characters <= MAX_CHARACTERS) break;
      this.remove(oldest);
    }
    return named(id, artifact);
  }

  /** Contracts are compiled while the chain runs: files that have changed are read again for an unknown code. */
  private inFiles(digits: string, digest: string, isCreation: boolean): ArtifactName | undefined {
    const key = `${digest} ${isCreation}`;
    const known = this.known.get(key);
    if (known?.name !== undefined && this.found.get(known.name.id) !== undefined) return known.name;
    this.abis.refresh();
    const { readings } = this.abis;
    if (known?.readings === readings && known.name === undefined) return undefined;
    const found = this.files.find(digits, isCreation);
    const artifact = found && withSources(found.artifact, found.path);
    const name = artifact && named(identify(artifact)[0], artifact);
    if (name !== undefined) this.found.set(name.id, artifact!);
    this.known.set(key, { name, readings });
    return name;
  }

  private remove(id: string): void {
    this.characters -= this.added.get(id)?.characters ?? 0;
    this.added.delete(id);
  }
}

/** Id and length of an artifact. */
function identify(artifact: Artifact): [id: string, characters: number] {
  const text = JSON.stringify(artifact);
  return [toHex(keccak256(utf8(text))), text.length];
}

function named(id: string, { name, source }: Artifact): ArtifactName {
  return { id, name, source };
}
