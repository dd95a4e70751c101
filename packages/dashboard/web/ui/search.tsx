import { useRef, useState } from "preact/hooks";
import { searched } from "../format/searched.js";
import { call } from "../node/client.js";
import type { Block } from "../node/types.js";
import { linkTo } from "../routes.js";

/** Finds a block by number or hash, a transaction by hash, an account by address. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const find = async (event: Event) => {
    event.preventDefault();
    const found = searched(input.current!.value);
    if (found === undefined) {
      setProblem("Enter a block number, a hash of 64 hex digits, or an address of 40");
      return;
    }
    const page = found.kind === "hash" ? await pageOfHash(found.value) : found.kind;
    setProblem(page === undefined ? "No block or transaction has this hash" : "");
    if (page === undefined) return;
    location.hash = linkTo(page, found.value);
    input.current!.value = "";
  };
  return (
    <search>
      <form onSubmit={(event) => void find(event).catch(({ message }: Error) => setProblem(message))}>
        <label class="hidden" for="search">
          Block, transaction or address
        </label>
        <input
          id="search"
          ref={input}
          type="search"
          placeholder="Block, hash or address"
          spellcheck={false}
          autocomplete="off"
          aria-describedby="search-problem"
          aria-invalid={problem !== ""}
          onInput={() => setProblem("")}
        />
        <p id="search-problem" class="problem" aria-live="polite">
          {problem}
        </p>
      </form>
    </search>
  );
}

async function pageOfHash(hash: string): Promise<string | undefined> {
  const [transaction, block] = await Promise.all([
    call<object | null>("eth_getTransactionByHash", hash),
    call<Block | null>("eth_getBlockByHash", hash, false),
  ]);
  if (transaction !== null) return "transaction";
  return block === null ? undefined : "block";
}
