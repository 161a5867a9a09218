import { accounts, calls, prices } from "@tollgate/client/admin"
import type { AccountCall } from "@tollgate/contract/admin/Call"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { operator } from "../../../session/sessions.ts"
import { Empty } from "../../../ui/kit.tsx"
import type { Column } from "../../../ui/Table.tsx"
import { AccountLink } from "../parts.tsx"
import { CallList } from "../../calls/CallList.tsx"
import type { Choices } from "../../calls/Filters.tsx"

const accountColumn: Column<AccountCall> = {
  head: "Account",
  className: "soft",
  cell: ({ account, account_label }) => <AccountLink id={account} label={account_label} />
}

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

export const AllCallsPage = () => (
  <CallList
    at="/operator/calls"
    who={operator}
    load={calls}
    column={accountColumn}
    linkTo={({ account, id }) => ({ to: "/operator/calls/$account/$call", params: { account, call: id } })}
    choices={useLoad(loadChoices).value ?? none}
    none={
      <Empty title="No calls yet">
        <span>Those of all accounts appear here as they are made.</span>
      </Empty>
    }
  />
)
