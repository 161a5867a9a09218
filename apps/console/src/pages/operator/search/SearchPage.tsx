import { Link, useSearch } from "@tanstack/react-router"
import { search } from "@tollgate/client/admin"
import type { Found } from "@tollgate/contract/admin/Overview"
import { useLoad } from "@tollgate/react/effect"
import { useMemo } from "react"
import { Empty, Page, Tag } from "../../../ui/kit.tsx"
import { type Column, List } from "../../../ui/Table.tsx"
import { AccountLink } from "../parts.tsx"

const kinds = {
  call: "Call",
  account: "Account",
  key: "Key",
  grant: "App",
  model: "Model",
  operation: "Operation"
} as const

const FoundLink = ({ found: { account, id, kind, label } }: { readonly found: Found }) => {
  if (kind === "call" && account !== null) {
    return (
      <Link to="/operator/calls/$account/$call" params={{ account, call: id }}>
        {id}
      </Link>
    )
  }
  if (account !== null) return <AccountLink id={account} label={label || id} />
  return (
    <Link to="/operator/calls" search={{ [kind]: id }}>
      {id}
    </Link>
  )
}

const aboutOf = ({ id, kind, label }: Found): string => (["account", "key", "grant"].includes(kind) ? id : label)

const columns: ReadonlyArray<Column<Found>> = [
  { head: "Found", kind: "name", cell: (found) => <FoundLink found={found} /> },
  { head: "Kind", cell: ({ kind }) => <Tag>{kinds[kind]}</Tag> },
  { head: "About", className: "mono soft", cell: (found) => aboutOf(found) || "Its calls" }
]

const Results = ({ text }: { readonly text: string }) => (
  <List
    title="Found"
    of={useLoad(useMemo(() => search({ q: text }), [text]))}
    columns={columns}
    rows={({ found }) => found}
    keyOf={({ id, kind }) => `${kind} ${id}`}
    empty={
      <Empty title="Nothing was found">
        <span>Request ids must be whole. Of other names a part is enough.</span>
      </Empty>
    }
  />
)

export const SearchPage = () => {
  const { q = "" } = useSearch({ from: "/operator/search" })
  const text = q.trim()
  return (
    <Page title="Search" lead={text === "" ? "Type a name or an id above." : `What “${text}” is, or is a part of.`}>
      {text === "" ? null : <Results text={text.slice(0, 200)} />}
    </Page>
  )
}
