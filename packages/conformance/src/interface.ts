/** Result of one vector. A pending one needs a feature that this node lacks, named in `reason`. */
export interface CaseResult {
  name: string;
  outcome: "passed" | "failed" | "pending";
  reason?: string;
}

/** A vector file, plain or gzipped. `name` is the base name without `.gz`; `folder` is the directory's base name. */
export interface VectorFile {
  path: string;
  name: string;
  folder: string;
  /** Whole content, decompressed. */
  text(): string;
  /** Decompressed lines, for files of any size. Iterating throws `ConformanceError` if the file cannot be read. */
  lines(): AsyncIterable<string>;
}

/** Runs all vector files of one format. */
export interface VectorSuite {
  /** Name as in `test/vectors/README.md`: `state-tests`, `scenarios`, … */
  readonly name: string;
  /** Recognises a file of this format by its content or its folder. */
  accepts(file: VectorFile): boolean | Promise<boolean>;
  /** Folder whose files are run and reported together; by default, the folder of the first file with those below it. */
  groupOf?(file: VectorFile): string;
  /** Returns the paths of the files that belong to a file that is run alone. */
  companionsOf?(file: VectorFile): readonly string[];
  /** Files that belong together (a chain and its companion) arrive in one call. */
  run(files: readonly VectorFile[]): AsyncIterable<CaseResult> | Iterable<CaseResult>;
}
