import { useNavigate, useSearch } from "@tanstack/react-router"
import { accounts, createAccount } from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { Account } from "@tollgate/contract/admin/Account"
import { NewAccount } from "@tollgate/contract/admin/Terms"
import { useLoad } from "@tollgate/react/effect"
import { useDeferredValue, useMemo } from "react"
import { count, leftUsd, shortUsd, usd } from "../../../ui/amounts.ts"
import { ChangeButton } from "../../../ui/ChangeButton.tsx"
import { SearchField, Select } from "../../../ui/form.tsx"
import { Card, Empty, Loaded, Page, Skeleton, Stats, Tag } from "../../../ui/kit.tsx"
import { useSay } from "../../../ui/Say.tsx"
import { type Column, Named, Table } from "../../../ui/Table.tsx"
import { dateOnly } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { AccountLink } from "../parts.tsx"

const columns: ReadonlyArray<Column<Account>> = [
  {
    head: "Account",
    kind: "name",
    cell: (account) => (
      <Named id={account.id}>
        <AccountLink {...account} />
      </Named>
    )
  },
  {
    head: "Balance",
    kind: "number",
    title: ({ balance_micros_usd: balance }) => usd(balance),
    cell: ({ balance_micros_usd: balance }) =>
      BigInt(balance) <= 0n ? <Tag kind="bad">{leftUsd(balance)}</Tag> : leftUsd(balance)
  },
  { head: "Reserved", usd: (account) => account.reserved_micros_usd, extra: true, className: "soft" },
  { head: "Tier", cell: ({ tier }) => tier },
  { head: "Requests/min", kind: "number", cell: ({ rpm }) => count(rpm) },
  { head: "Tokens/min", kind: "number", cell: ({ tpm }) => count(tpm), extra: true },
  { head: "Calls at once", kind: "number", cell: ({ concurrency }) => count(concurrency), extra: true },
  { head: "Multiplier", kind: "number", cell: ({ multiplier }) => `×${multiplier}` },
  { head: "Created", kind: "number", cell: (account) => dateOnly(account.created_at), extra: true, className: "soft" }
]

const byBalance = (a: Account, b: Account): number => {
  const difference = BigInt(a.balance_micros_usd) - BigInt(b.balance_micros_usd)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

type Sort = readonly [words: string, order: (a: Account, b: Account) => number]

const sorts: ReadonlyMap<string, Sort> = new Map<string, Sort>([
  ["newest", ["Newest first", (a, b) => b.created_at.localeCompare(a.created_at)]],
  ["label", ["By label", (a, b) => a.label.localeCompare(b.label)]],
  ["poorest", ["Lowest balance first", byBalance]],
  ["richest", ["Highest balance first", (a, b) => byBalance(b, a)]]
])

const sum = (amounts: ReadonlyArray<Amount>): bigint => amounts.reduce((total, amount) => total + BigInt(amount), 0n)

const Totals = ({ accounts }: { readonly accounts: ReadonlyArray<Account> }) => {
  const empty = accounts.filter(({ balance_micros_usd: balance }) => BigInt(balance) <= 0n).length
  const of = (amount: (account: Account) => Amount) => sum(accounts.map(amount))
  return (
    <Stats
      of={[
        ["Accounts", count(accounts.length), empty === 0 ? "All have a balance" : `${count(empty)} without balance`],
        ["Balances", leftUsd(of((account) => account.balance_micros_usd)), "Owed to them in calls"],
        ["Reserved", shortUsd(of((account) => account.reserved_micros_usd)), "For calls under way"],
        ["Topped up", shortUsd(of((account) => account.topped_up_micros_usd)), "In total"]
      ]}
    />
  )
}

const load = accounts()

export const AccountsPage = () => {
  const { q = "", sort = "newest" } = useSearch({ from: "/operator/accounts" })
  const navigate = useNavigate({ from: "/operator/accounts" })
  const say = useSay()
  const loaded = useLoad(load, { every: "15 seconds" })
  const all = loaded.value?.accounts
  const words = useDeferredValue(q).toLowerCase()
  const found = useMemo(
    () =>
      (all ?? [])
        .filter(({ id, label }) => label.toLowerCase().includes(words) || id.toLowerCase().includes(words))
        .toSorted((sorts.get(sort) ?? sorts.get("newest"))?.[1]),
    [all, words, sort]
  )
  const change = (search: { readonly q?: string; readonly sort?: string }) =>
    void navigate({ to: "/operator/accounts", search: { q, sort, ...search }, replace: true, resetScroll: false })
  return (
    <Page
      title="Accounts"
      lead="Who may call this gateway, their balances and keys."
      actions={
        <ChangeButton
          label="Create an account"
          may="createAccount"
          kind="main"
          schema={NewAccount}
          fields={{ label: { label: "Label", hint: "Who it is for. A new account gets the signup credit." } }}
          submit="Create the account"
          run={({ label }) => createAccount(label)}
          onDone={({ id, label }) =>
            void navigate({ to: "/operator/accounts/$account", params: { account: id } }).then(() =>
              say(`The account ${label} was created.`)
            )
          }
        />
      }
    >
      <Loaded
        of={loaded}
        loading={
          <>
            <Skeleton lines={1} tall />
            <Skeleton lines={8} />
          </>
        }
      >
        {({ accounts }) => (
          <>
            <Totals accounts={accounts} />
            <Card flush>
              <div className={styles.filters}>
                <SearchField
                  label="Search accounts"
                  placeholder="Label or id"
                  value={q}
                  onChange={(q) => change({ q })}
                />
                <Select
                  label="Order"
                  options={[...sorts].map(([name, [words]]) => [name, words])}
                  value={sort}
                  onChange={(sort) => change({ sort })}
                />
              </div>
              <Table
                key={`${words} ${sort}`}
                label="Accounts"
                columns={columns}
                rows={found}
                keyOf={({ id }) => id}
                first={100}
                empty={
                  accounts.length > 0 ? (
                    "No account has this label or id"
                  ) : (
                    <Empty title="No accounts yet">
                      <p>An account has a balance and keys. Create the first one.</p>
                    </Empty>
                  )
                }
              />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  )
}
