import { useNavigate, useSearch } from "@tanstack/react-router"
import { accounts } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react"
import { useDeferredValue, useMemo, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { Card } from "../../../ui/Card.tsx"
import { Empty } from "../../../ui/Empty.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Failure } from "../parts/Failure.tsx"
import styles from "../operator.module.css"
import { AccountTable } from "./AccountTable.tsx"
import { CreateAccount } from "./CreateAccount.tsx"
import { isSort, type Sort, sorted, sortNames, sorts } from "./sort.ts"
import { Totals } from "./Totals.tsx"

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
              <Empty title="There is no account yet">
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
