/** Outcome of one vector. A pending one needs a part of the node that is not there yet; `reason` says which. */
export interface CaseResult {
  name: string;
  outcome: "passed" | "failed" | "pending";
  reason?: string;
}

/** One vector file, plain or gzipped. `name` is the base name without `.gz`; `folder` the directory's base name. */
export interface VectorFile {
  path: string;
  name: string;
  folder: string;
  /** Whole content, decompressed. */
  text(): string;
  /** Line by line, decompressed; for files of any size. Throws `ConformanceError` while it is iterated. */
  lines(): AsyncIterable<string>;
}

/** Runs all vector files of one format. */
export interface VectorSuite {
  /** As in `test/vectors/README.md`: `state-tests`, `scenarios`, … */
  readonly name: string;
  /** Recognises a file of this format by its content or its folder. */
  accepts(file: VectorFile): boolean | Promise<boolean>;
  /** Files that belong together (a chain and its companion) arrive in one call. */
  run(files: readonly VectorFile[]): AsyncIterable<CaseResult> | Iterable<CaseResult>;
}
