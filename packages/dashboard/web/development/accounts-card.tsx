import { useState } from "preact/hooks";
import { numberToHex } from "viem";
import { integerOf } from "../contract/values.js";
import { checksummed } from "../format/addresses.js";
import { grouped } from "../format/numbers.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import type { Hex, Quantity } from "../node/types.js";
import { Account } from "../ui/account.js";
import { Coins } from "../ui/coins.js";
import { Badge, Card, Copy, Loaded, Table } from "../ui/parts.js";
import { useActions } from "./actions.js";

interface Held {
  address: Hex;
  /** Undefined for an account that is impersonated, or was added later. */
  privateKey: Hex | undefined;
  balance: Quantity;
  nonce: Quantity;
}

const MAX_SHOWN = 50;
const COIN = 10n ** 18n;
/** Coins added by one click. */
const GIFT = 1_000n * COIN;

async function readAccounts(): Promise<{ all: readonly Held[]; count: number }> {
  const [addresses, keys] = await Promise.all([
    call<Hex[]>("eth_accounts"),
    call<{ address: Hex; privateKey: Hex }[]>("dev_accounts"),
  ]);
  const byAddress = new Map(keys.map(({ address, privateKey }) => [address.toLowerCase(), privateKey]));
  const all = addresses.slice(0, MAX_SHOWN).map(async (address) => {
    const [balance, nonce] = await Promise.all([
      call<Quantity>("eth_getBalance", address, "latest"),
      call<Quantity>("eth_getTransactionCount", address, "latest"),
    ]);
    return { address, privateKey: byAddress.get(address.toLowerCase()), balance, nonce };
  });
  return { all: await Promise.all(all), count: addresses.length };
}

/** Accounts for which the node signs. */
export function AccountsCard() {
  const [changes, setChanges] = useState(0);
  const query = useQuery(`accounts ${changes}`, readAccounts, { perBlock: true });
  const { act, isBusy } = useActions();
  const fund = (address: string, amount: bigint) =>
    act(`fund ${short(address)}`, async () => {
      const balance = BigInt(await call<Quantity>("eth_getBalance", address, "latest"));
      await call("hardhat_setBalance", address, numberToHex(balance + amount));
    });
  const stop = async (address: string) => {
    await call("hardhat_stopImpersonatingAccount", address);
    setChanges(changes + 1);
  };
  const impersonate = async (address: string) => {
    await call("hardhat_impersonateAccount", address);
    setChanges(changes + 1);
  };
  return (
    <Card title="Accounts" note={query.data && grouped(query.data.count)}>
      <Loaded query={query}>
        {({ all }) => (
          <Table
            caption="Accounts"
            empty="The node holds no keys"
            rows={all}
            keyOf={({ address }) => address}
            columns={[
              { title: "Account", cell: ({ address }) => <Account address={address} /> },
              { title: "Balance", isNumber: true, cell: ({ balance }) => <Coins wei={balance} /> },
              { title: "Nonce", isNumber: true, cell: ({ nonce }) => grouped(BigInt(nonce)) },
              {
                title: "Copy",
                cell: ({ address, privateKey }) => (
                  <span class="row buttons">
                    <Copy text={checksummed(address, live.state.chainId)} what={`address ${address}`} label="Address" />
                    {privateKey !== undefined && <Copy text={privateKey} what={`key of ${address}`} label="Key" />}
                  </span>
                ),
              },
              {
                title: "Actions",
                cell: ({ address, privateKey }) => (
                  <span class="row buttons">
                    <button type="button" class="quiet" disabled={isBusy} onClick={() => void fund(address, GIFT)}>
                      Fund 1,000 <span class="hidden">coins to {address}</span>
                    </button>
                    {privateKey === undefined && (
                      <>
                        <Badge tone="accent">Impersonated</Badge>
                        <button type="button" class="quiet" onClick={() => void stop(address)}>
                          Stop <span class="hidden">impersonating {address}</span>
                        </button>
                      </>
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <OtherAccount isBusy={isBusy} onFund={fund} onImpersonate={impersonate} />
    </Card>
  );
}

interface OtherProps {
  isBusy: boolean;
  onFund(address: string, amount: bigint): Promise<void>;
  onImpersonate(address: string): Promise<void>;
}

/** Adds coins to any account, or lets the node send for it. */
function OtherAccount({ isBusy, onFund, onImpersonate }: OtherProps) {
  const [address, setAddress] = useState("");
  const [amount, setAmount] = useState("1000 ether");
  const [problem, setProblem] = useState("");
  const run = async (what: () => Promise<void>) => {
    setProblem("");
    try {
      if (!/^0x[0-9a-f]{40}$/i.test(address.trim())) throw new Error("Enter an address, 40 hex digits after 0x");
      await what();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const fund = () =>
    run(async () => {
      const wei = integerOf(amount, 0);
      if (wei === undefined || wei < 0n)
        throw new Error(`"${amount}" is no amount: write 1.5 ether, or a number of wei`);
      await onFund(address.trim(), wei);
    });
  return (
    <form
      class="row end more"
      onSubmit={(event) => {
        event.preventDefault();
        void fund();
      }}
    >
      <label class="grow">
        Another account
        <input
          value={address}
          placeholder="0x…"
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
      </label>
      <label>
        Amount
        <input class="short" value={amount} onInput={(event) => setAmount(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={isBusy}>
        Fund
      </button>
      <button type="button" onClick={() => void run(() => onImpersonate(address.trim()))}>
        Impersonate
      </button>
      {problem !== "" && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

function short(address: string): string {
  return `${address.slice(0, 8)}…${address.slice(-6)}`;
}
