/** Reasons why the operating system refuses an operation, and remedies, by its code. */
const EXPLANATIONS: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  EACCES: ["permission denied", "check the owner and the permissions"],
  EPERM: ["permission denied", "check the owner and the permissions"],
  EEXIST: ["it, or a part of its path, is a file", "choose another path"],
  ENOTDIR: ["it, or a part of its path, is a file", "choose another path"],
  ENOENT: ["there is no such file or folder", "choose another path"],
  EISDIR: ["it is a folder", "choose another path"],
  EROFS: ["the file system is read-only", "choose another path"],
  ENOSPC: ["the disk is full", "free some space, then run the command again"],
  EDQUOT: ["the disk quota is used up", "free some space, then run the command again"],
};

/** Texts of LevelDB without a code. */
const CODES: Readonly<Record<string, string>> = {
  "No space left on device": "ENOSPC",
  "Permission denied": "EACCES",
  "Read-only file system": "EROFS",
  "Not a directory": "ENOTDIR",
};

/** Why an operation failed, in plain words if it is known, otherwise in the first line of the error. */
export function plainReason(error: unknown): string {
  return explanationOf(error)?.[0] ?? firstLine(error);
}

/** Returns {@link plainReason}, and the remedy. */
export function reasonAndRemedy(error: unknown): string {
  return explanationOf(error)?.join("; ") ?? firstLine(error);
}

/** An error of the operating system as one line that names the path; undefined for other errors. */
export function explainSystemError(error: Error): string | undefined {
  const explanation = explanationOf(error);
  if (explanation === undefined) return undefined;
  const { path = /[^\s:']*\/[^\s:']*/.exec(error.message)?.[0] ?? "" } = error as NodeJS.ErrnoException;
  return `cannot use ${path}: ${explanation.join("; ")}`;
}

function explanationOf(error: unknown): readonly [reason: string, remedy: string] | undefined {
  const text = firstLine(error);
  // The folder above exists: it is one of those that show data of the system.
  if (/^ENOENT: .*, mkd/.test(text)) return ["no folder can be created there", "choose another path"];
  const code = /^(E[A-Z]+):/.exec(text)?.[1] ?? CODES[Object.keys(CODES).find((known) => text.includes(known)) ?? ""];
  return code === undefined ? undefined : EXPLANATIONS[code];
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}
