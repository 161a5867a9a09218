import { useNavigate, useSearch } from "@tanstack/react-router"
import { accounts, createAccount } from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { Account } from "@tollgate/contract/admin/Account"
import { useLoad } from "@tollgate/react"
import { useDeferredValue, useMemo, useState } from "react"
import { count, leftUsd, shortUsd } from "../../../ui/amounts.ts"
import { Button, Card, Empty, Page, Skeleton, Stat, Stats } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { Failure } from "../parts/Failure.tsx"
import { AccountTable } from "./AccountTable.tsx"
import { Field } from "../../../ui/form.tsx"
import { Form, FormDialog, type FormProps } from "../parts/FormDialog.tsx"
import { useChange } from "../parts/useChange.ts"
import { useSay } from "../parts/Say.tsx"
import { labelProblem } from "../parts/labelProblem.ts"

interface CreateAccountProps {
  readonly open: boolean
  readonly onClose: () => void
}

const Fields = ({
  create,
  ...form
}: Omit<FormProps, "children" | "submit" | "onSubmit"> & { readonly create: (label: string) => void }) => {
  const [label, setLabel] = useState("")
  const [problem, setProblem] = useState<string>()
  const send = () => {
    const found = labelProblem(label.trim())
    setProblem(found)
    if (found === undefined) create(label.trim())
  }
  return (
    <Form {...form} submit="Create the account" onSubmit={send}>
      <Field label="Label" hint="Who it is for. A new account gets the signup credit." error={problem}>
        {(control) => <input {...control} value={label} onChange={({ target }) => setLabel(target.value)} />}
      </Field>
    </Form>
  )
}

const CreateAccount = ({ onClose, open }: CreateAccountProps) => {
  const change = useChange()
  const say = useSay()
  const navigate = useNavigate()
  const create = (label: string) =>
    change.run(createAccount(label), (account) => {
      onClose()
      void navigate({ to: "/operator/accounts/$account", params: { account: account.id } }).then(() =>
        say(`The account ${account.label} was created.`)
      )
    })
  return (
    <FormDialog title="Create an account" open={open} change={change} onClose={onClose}>
      <Fields change={change} create={create} onClose={onClose} />
    </FormDialog>
  )
}

const sorts = ["newest", "label", "poorest", "richest"] as const
type Sort = (typeof sorts)[number]

const sortNames: Readonly<Record<Sort, string>> = {
  newest: "Newest first",
  label: "By label",
  poorest: "Lowest balance first",
  richest: "Highest balance first"
}

const isSort = (text: string | undefined): text is Sort => sorts.some((name) => name === text)

const byBalance = (a: Account, b: Account): number => {
  const difference = BigInt(a.balance_micros_usd) - BigInt(b.balance_micros_usd)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const orders: Readonly<Record<Sort, (a: Account, b: Account) => number>> = {
  newest: (a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0),
  label: (a, b) => a.label.localeCompare(b.label),
  poorest: byBalance,
  richest: (a, b) => byBalance(b, a)
}

const sorted = (accounts: ReadonlyArray<Account>, by: Sort): ReadonlyArray<Account> => accounts.toSorted(orders[by])

const sum = (amounts: ReadonlyArray<Amount>): bigint => amounts.reduce((total, amount) => total + BigInt(amount), 0n)

/** All accounts together. */
const Totals = ({ accounts }: { readonly accounts: ReadonlyArray<Account> }) => {
  const empty = accounts.filter(({ balance_micros_usd: balance }) => BigInt(balance) <= 0n).length
  return (
    <Stats>
      <Stat
        label="Accounts"
        value={count(accounts.length)}
        note={empty === 0 ? "All have a balance" : `${count(empty)} without balance`}
      />
      <Stat
        label="Balances"
        value={leftUsd(sum(accounts.map((account) => account.balance_micros_usd)))}
        note="Owed to them in calls"
      />
      <Stat
        label="Reserved"
        value={shortUsd(sum(accounts.map((account) => account.reserved_micros_usd)))}
        note="For calls under way"
      />
      <Stat
        label="Topped up"
        value={shortUsd(sum(accounts.map((account) => account.topped_up_micros_usd)))}
        note="In total"
      />
    </Stats>
  )
}

const load = accounts()

export const AccountsPage = () => {
  const { q = "", sort } = useSearch({ from: "/operator/" })
  const navigate = useNavigate({ from: "/operator" })
  const chosen: Sort = isSort(sort) ? sort : "newest"
  const { error, refresh, value } = useLoad(load, { every: "15 seconds" })
  const [creates, setCreates] = useState(false)
  const all = value?.accounts
  const words = useDeferredValue(q).toLowerCase()
  const found = useMemo(
    () =>
      sorted(
        (all ?? []).filter(({ id, label }) => label.toLowerCase().includes(words) || id.toLowerCase().includes(words)),
        chosen
      ),
    [all, words, chosen]
  )
  const change = (search: { readonly q?: string; readonly sort?: Sort }) =>
    void navigate({ to: "/operator", search: { q, sort: chosen, ...search }, replace: true, resetScroll: false })
  return (
    <Page
      title="Accounts"
      lead="Who may call this gateway, what they have left, and their keys."
      actions={
        <Button kind="main" onClick={() => setCreates(true)}>
          Create an account
        </Button>
      }
    >
      <CreateAccount open={creates} onClose={() => setCreates(false)} />
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {all === undefined ? (
        error === undefined ? (
          <>
            <Skeleton lines={1} tall />
            <Skeleton lines={8} />
          </>
        ) : null
      ) : (
        <>
          <Totals accounts={all} />
          <Card flush>
            <div className={styles.filters}>
              <input
                type="search"
                aria-label="Search accounts"
                placeholder="Label or id"
                value={q}
                onChange={({ target }) => change({ q: target.value })}
              />
              <select
                aria-label="Order"
                value={chosen}
                onChange={({ target }) => isSort(target.value) && change({ sort: target.value })}
              >
                {sorts.map((name) => (
                  <option key={name} value={name}>
                    {sortNames[name]}
                  </option>
                ))}
              </select>
            </div>
            {all.length === 0 ? (
              <Empty title="No accounts yet">
                <p>An account has a balance and keys. Create the first one.</p>
              </Empty>
            ) : (
              <AccountTable accounts={found} key={`${words} ${chosen}`} />
            )}
          </Card>
        </>
      )}
    </Page>
  )
}
