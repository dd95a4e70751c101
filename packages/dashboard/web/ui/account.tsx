import { useArtifact } from "../artifacts/artifacts.js";
import { nativeName } from "../decode/native.js";
import { linkTo } from "../routes.js";
import { Hash } from "./parts.js";

/** A link to an account, with its name if it is part of the node, or its artifact is known. */
export function Account({ address, whole }: { address: string; whole?: boolean }) {
  const artifact = useArtifact(address);
  const name = nativeName(address) ?? artifact?.name;
  if (name === undefined || name === "") return <Hash value={address} page="address" whole={whole === true} />;
  return (
    <a href={linkTo("address", address)} title={address}>
      {name}
    </a>
  );
}
