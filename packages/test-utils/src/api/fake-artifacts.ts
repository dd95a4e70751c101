import type { ArtifactName, ContractArtifacts } from "@cambium/api";
import { toHex } from "@cambium/primitives";

/** Artifacts by code; content without the member `abi` is refused. */
export function fakeArtifacts(): ContractArtifacts {
  const names = new Map<string, ArtifactName>();
  const contents = new Map<string, object>();
  return {
    find: (code) => names.get(toHex(code)),
    read: (id) => contents.get(id),
    add(content, code) {
      if (!("abi" in content)) return undefined;
      const name = { id: `artifact-${names.size}`, name: "Example", source: "contracts/Example.sol" };
      names.set(toHex(code), name);
      contents.set(name.id, content);
      return name;
    },
  };
}
