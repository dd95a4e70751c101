import { useState } from "preact/hooks";
import { tryKey } from "../node/client.js";
import { live } from "../node/live.js";

/** Asks the user for the API key that the node requires. */
export function KeyForm() {
  const [key, change] = useState("");
  const [problem, setProblem] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    setProblem("");
    const isAccepted = await tryKey(key.trim());
    if (isAccepted) await live.refresh();
    else setProblem("The node does not accept this key.");
  };
  return (
    <form
      class="card stack"
      onSubmit={(event) => void submit(event).catch(({ message }: Error) => setProblem(message))}
    >
      <p>This node wants an API key. It is kept in this tab until you close it.</p>
      <label>
        API key
        <input
          type="password"
          autocomplete="off"
          required
          value={key}
          aria-invalid={problem !== ""}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </label>
      {problem !== "" && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary">
        Use key
      </button>
    </form>
  );
}
