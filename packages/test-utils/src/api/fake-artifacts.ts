import type { ArtifactName, ContractArtifacts } from "@cambium/api";
import { EMPTY_BYTES, fromHex, toHex } from "@cambium/primitives";

/** Artifacts by the code that they were added for, or their own; content without the member `abi` is refused. */
export function fakeArtifacts(): ContractArtifacts {
  const names = new Map<string, ArtifactName>();
  const contents = new Map<string, object>();
  return {
    find: (code) => names.get(toHex(code)),
    read: (id) => contents.get(id),
    add(content, code = "code" in content ? fromHex(String(content.code).slice(2)) : EMPTY_BYTES) {
      if (!("abi" in content)) return undefined;
      const name = { id: `artifact-${names.size}`, name: "Example", source: "contracts/Example.sol" };
      names.set(toHex(code), name);
      contents.set(name.id, content);
      return name;
    },
  };
}
