import { grouped } from "../format/numbers.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { Block } from "../node/types.js";
import { linkTo } from "../routes.js";
import { BlockTable } from "../ui/block-table.js";
import { Card, Loaded } from "../ui/parts.js";

const ON_PAGE = 25;

/** Shows the blocks up to the one that the address names, or up to the best one. */
export function BlocksPage({ subject }: { subject: string }) {
  const { height, blocks } = useStore(live);
  if (height === undefined) return <p class="empty">Loading…</p>;
  const isNewest = !/^\d+$/.test(subject) || Number(subject) >= height;
  const top = isNewest ? height : Number(subject);
  const older = top - ON_PAGE;
  return (
    <Card title={`Blocks ${grouped(Math.max(older + 1, 0))} to ${grouped(top)}`} note={`of ${grouped(height)}`}>
      {isNewest ? <BlockTable blocks={blocks.slice(0, ON_PAGE)} /> : <Older top={top} />}
      <nav class="row pager below" aria-label="Other blocks">
        {!isNewest && <a href={linkTo("blocks", top + ON_PAGE >= height ? "" : String(top + ON_PAGE))}>← Newer</a>}
        {older >= 0 && <a href={linkTo("blocks", String(older))}>Older →</a>}
      </nav>
    </Card>
  );
}

function Older({ top }: { top: number }) {
  const query = useQuery(`blocks ${top}`, async () => {
    const numbers = Array.from({ length: Math.min(ON_PAGE, top + 1) }, (_, i) => top - i);
    const blocks = await Promise.all(
      numbers.map((number) => call<Block | null>("eth_getBlockByNumber", `0x${number.toString(16)}`, false)),
    );
    return blocks.filter((block) => block !== null);
  });
  return <Loaded query={query}>{(blocks) => <BlockTable blocks={blocks} />}</Loaded>;
}
