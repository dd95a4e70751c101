import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

const PAGE = 4096;

/** Copies a folder file by file while a process may write, rename and delete files in it. */
export async function copyWhileWriting(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    if (name === "LOCK" || name.startsWith("LOG")) continue;
    await copyFile(join(from, name), join(to, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

export function clone(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

type Chance = () => number;

/** Damages to the bytes of a file; undefined deletes it. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, below: (limit: number) => number) => Buffer | undefined>> = {
  zero(bytes, below) {
    const at = pageAt(bytes, below);
    return bytes.fill(0, at, Math.min(at + PAGE, bytes.length));
  },
  garble(bytes, below) {
    const at = pageAt(bytes, below);
    for (let i = at; i < Math.min(at + PAGE, bytes.length); i++) bytes[i] = below(256);
    return bytes;
  },
  flip(bytes, below) {
    if (bytes.length > 0) bytes[below(bytes.length)]! ^= 1 << below(8);
    return bytes;
  },
  truncate: (bytes, below) => bytes.subarray(0, below(bytes.length)),
  reorder(bytes, below) {
    const [one, other] = [pageAt(bytes, below), pageAt(bytes, below)];
    const length = Math.min(PAGE, bytes.length - Math.max(one, other));
    const page = Buffer.from(bytes.subarray(one, one + length));
    bytes.copy(bytes, one, other, other + length);
    page.copy(bytes, other);
    return bytes;
  },
  cut(bytes, below) {
    const at = pageAt(bytes, below);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + PAGE)]);
  },
  remove: () => undefined,
};

function pageAt(bytes: Buffer, below: (limit: number) => number): number {
  return PAGE * below(Math.ceil(bytes.length / PAGE));
}

/** Damages one to three random positions of a database; returns a description of the damage. */
export function damage(folder: string, chance: Chance): string[] {
  const below = (limit: number) => Math.floor(chance() * limit);
  const done: string[] = [];
  for (let places = 1 + below(3); places > 0; places--) {
    const path = join(folder, randomFile(folder, below));
    const kind = Object.keys(DAMAGES)[below(Object.keys(DAMAGES).length)]!;
    const bytes = DAMAGES[kind]!(readFileSync(path), below);
    if (bytes === undefined) rmSync(path);
    else writeFileSync(path, bytes);
    done.push(`${kind} ${path.slice(folder.length + 1)}`);
  }
  return done;
}

/** Logs are as likely as all tables together; manifests and `CURRENT` are less likely. */
function randomFile(folder: string, below: (limit: number) => number): string {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  const kinds = [/\.log$/, /\.log$/, /\.log$/, /\.ldb$/, /\.ldb$/, /\.ldb$/, /^MANIFEST/, /^CURRENT$/];
  const kind = kinds[below(kinds.length)]!;
  const ofKind = names.filter((name) => kind.test(name));
  const choice = ofKind.length > 0 ? ofKind : names;
  return choice[below(choice.length)]!;
}
