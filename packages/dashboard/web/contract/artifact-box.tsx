import { useState } from "preact/hooks";
import type { Artifact } from "../../src/artifacts/artifact.js";
import { matchesCode } from "../../src/artifacts/match-code.js";
import { readArtifacts } from "../../src/artifacts/read-artifacts.js";
import { artifacts } from "../artifacts/artifacts.js";
import { isDeveloped } from "../node/live.js";
import type { Hex } from "../node/types.js";

/** Build information of a large project has some ten megabytes. */
const MAX_FILE = 64 * 2 ** 20;

/** Takes the ABI or artifact of a contract: as a file, dropped, or pasted. */
export function ArtifactBox({ address, code }: { address: Hex; code: Hex }) {
  const [problem, setProblem] = useState("");
  const [isOver, setOver] = useState(false);
  const [pasted, setPasted] = useState("");
  const use = async (read: () => Promise<string>) => {
    try {
      setProblem("");
      const found = readArtifacts(parsed(await read()));
      const artifact = chosen(found, code);
      const others = found.filter((one) => one !== artifact && one.runtime !== "");
      await artifacts.add(artifact, address, others);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const useFile = (file: File | undefined | null) => {
    if (!file) return;
    void use(() => {
      if (file.size > MAX_FILE) throw new Error(`${file.name} is larger than ${MAX_FILE / 2 ** 20} MB`);
      return file.text();
    });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard chooses a file instead
    <div
      class={isOver ? "stack drop over" : "stack drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        useFile(event.dataTransfer?.files[0]);
      }}
    >
      <p>
        Drop the contract's ABI here, or its artifact from Hardhat, Foundry or solc. Its functions, events and errors
        are then shown by their names, and those of the other contracts in the file.{" "}
        {isDeveloped() ? "The node keeps them until it stops." : "This browser keeps them."}
      </p>
      <div class="row">
        <label class="button">
          Choose a file
          <input type="file" accept=".json,.abi" onChange={(event) => useFile(event.currentTarget.files?.[0])} />
        </label>
        <details class="paste">
          <summary>or paste it</summary>
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              void use(async () => pasted);
            }}
          >
            <label>
              ABI or artifact, as JSON
              <textarea
                rows={5}
                spellcheck={false}
                value={pasted}
                onInput={(event) => setPasted(event.currentTarget.value)}
              />
            </label>
            <div class="row">
              <button type="submit">Use it</button>
            </div>
          </form>
        </details>
      </div>
      {problem !== "" && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("This is not JSON: expected an ABI, or an artifact that contains one");
  }
}

/**
 * Returns the artifact whose code matches the contract's. A single artifact is accepted, because the user knows that it
 * belongs to the contract.
 */
function chosen(found: readonly Artifact[], code: Hex): Artifact {
  const [first] = found;
  if (first === undefined) throw new Error("This has no ABI: expected one, or an artifact of Hardhat, Foundry or solc");
  const match = found.find((artifact) => matchesCode(artifact, code));
  if (match !== undefined) return match;
  if (found.length === 1) return first;
  throw new Error(`None of the ${found.length} contracts in this file has the code of this one`);
}
