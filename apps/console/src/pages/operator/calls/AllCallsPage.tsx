import { Link, useLocation, useNavigate, useSearch } from "@tanstack/react-router"
import { accounts, calls, prices } from "@tollgate/client/admin"
import type { AccountCall } from "@tollgate/contract/admin/Call"
import { listWords } from "@tollgate/contract/callWords"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { operator } from "../../../session/sessions.ts"
import { Empty } from "../../../ui/kit.tsx"
import type { Column } from "../../../ui/Table.tsx"
import { CallList } from "../../calls/CallList.tsx"
import { callColumns } from "../../calls/callParts.tsx"
import type { Choices } from "../../calls/Filters.tsx"
import { operationName } from "../../calls/story.ts"

const accountColumn: Column<AccountCall> = {
  head: "Account",
  className: "soft",
  cell: ({ account, account_label }) => (
    <Link to="/operator/accounts/$account" params={{ account }}>
      {account_label === "" ? account : account_label}
    </Link>
  )
}

const [name, ...others] = callColumns((call) => (
  <Link to="/operator/calls/$account/$call" params={{ account: (call as AccountCall).account, call: call.id }}>
    {operationName(call)}
  </Link>
))

const columns = [name, accountColumn, ...others.filter(({ head }) => head !== listWords.key)].filter(
  (column) => column !== undefined
)

const named = (names: Iterable<string>) => [...new Set(names)].sort().map((name) => [name, name] as const)

/** More accounts than that are no list to choose from: the search finds them. */
const mostAccounts = 500

const loadChoices = Effect.map(
  Effect.all([accounts(), prices()], { concurrency: 2 }),
  ([{ accounts }, { prices }]): Choices => ({
    ...(accounts.length > mostAccounts ? {} : { account: accounts.map(({ id, label }) => [id, label || id] as const) }),
    operation: named(prices.map(({ operation }) => operation)),
    model: named(prices.flatMap(({ model }) => (model === null ? [] : [model])))
  })
)

const none: Choices = { account: [], operation: [], model: [] }

export const AllCallsPage = () => {
  const { before, ...filter } = useSearch({ from: "/operator/calls" })
  const navigate = useNavigate({ from: "/operator/calls" })
  const { session } = operator.use()
  const { value = none } = useLoad(loadChoices)
  const isHere = useLocation({ select: ({ pathname }) => pathname === "/operator/calls" })
  return (
    <CallList
      filter={filter}
      before={before}
      go={(search, replace = false) => void navigate({ search, replace })}
      isHere={isHere}
      session={session}
      load={calls}
      choices={value}
      columns={columns}
      none={
        <Empty title="No calls yet">
          <span>Those of all accounts appear here as they are made.</span>
        </Empty>
      }
    />
  )
}
