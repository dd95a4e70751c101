import { useState } from "preact/hooks";
import { setKey } from "../node/client.js";
import { live } from "../node/live.js";

/** Asks for the API key of a node that answers nothing without one. */
export function KeyForm() {
  const [key, change] = useState("");
  const use = (event: Event) => {
    event.preventDefault();
    setKey(key.trim());
    void live.refresh();
  };
  return (
    <form class="card stack" onSubmit={use}>
      <p>This node wants an API key. It is kept in this tab until you close it.</p>
      <label>
        API key
        <input type="password" autocomplete="off" value={key} onInput={(event) => change(event.currentTarget.value)} />
      </label>
      <button type="submit" class="primary">
        Use key
      </button>
    </form>
  );
}
