/** An entry of an ABI, as compilers write it. Its members are not checked. */
export type AbiEntry = Readonly<Record<string, unknown>>;

/** The output of a compiler for one contract. */
export interface Artifact {
  /** Empty for an ABI alone. */
  name: string;
  /** Path of its source file; empty if unknown. */
  source: string;
  abi: readonly AbiEntry[];
  /** Hex digits of the code that creates the contract, with placeholders for libraries; empty if unknown. */
  creation: string;
  /** Hex digits of the deployed code; empty if unknown. */
  runtime: string;
  /** Parts of the deployed code that are filled in later: immutable values and addresses of libraries, in bytes. */
  gaps: readonly Gap[];
  /** Storage layout, as `storageLayout` of the Solidity compiler. */
  layout?: StorageLayout;
  /** Source map of the deployed code, as the Solidity compiler writes it. */
  sourceMap?: string;
  /** Source map of the code that creates the contract. */
  creationSourceMap?: string;
  /** Texts of source files by the number that the source maps have for them. */
  sources?: Readonly<Record<number, SourceFile>>;
}

export interface Gap {
  start: number;
  length: number;
}

export interface StorageLayout {
  storage: readonly StorageVariable[];
  types: Readonly<Record<string, StorageType>>;
}

export interface StorageVariable {
  label: string;
  /** Decimal. */
  slot: string;
  /** Bytes from the low end of the slot. */
  offset: number;
  type: string;
}

export interface StorageType {
  label: string;
  encoding: string;
  /** Decimal. */
  numberOfBytes: string;
  key?: string;
  value?: string;
  base?: string;
  members?: readonly StorageVariable[];
}

export interface SourceFile {
  path: string;
  text: string;
}

/** Returns the artifact without the members that only a debugger needs. */
export function withoutSources(artifact: Artifact): Artifact {
  const { sourceMap: _runtime, creationSourceMap: _creation, sources: _sources, ...rest } = artifact;
  return rest;
}
