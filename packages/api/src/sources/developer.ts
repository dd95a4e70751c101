/** Name of a contract, and how to read the rest of its artifact. */
export interface ArtifactName {
  id: string;
  /** Empty for an ABI alone. */
  name: string;
  /** Path of its source file; empty if unknown. */
  source: string;
}

/** Artifacts of compiled contracts: ABI, code, storage layout. Only `node-cli dev` has them. */
export interface ContractArtifacts {
  /** The artifact of deployed code, or of code that creates a contract, to which arguments may be appended. */
  find(code: Uint8Array, isCreation?: boolean): ArtifactName | undefined;
  /** The whole artifact, as JSON. */
  read(id: string): object | undefined;
  /**
   * Keeps an artifact until the node stops, bounded in number and size; for the deployed code, if it is given, even if
   * the artifact has another. Undefined if `content` is no artifact of one contract.
   */
  add(content: object, code?: Uint8Array): ArtifactName | undefined;
}

/** Artifacts and keys for the page of a developer. */
export interface DeveloperPart {
  artifacts: ContractArtifacts;
  /** Accounts with which the node was started: publicly known ones, or those of a mnemonic for development. */
  keys: readonly { address: Uint8Array; privateKey: Uint8Array }[];
}
