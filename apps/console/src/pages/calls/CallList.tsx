import { Link, type LinkProps, useLocation, useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useMemo, useState, type ReactNode } from "react"
import type { Client } from "@tollgate/client/Client"
import type { LoggedCall, LoggedCalls } from "@tollgate/contract/account/LoggedCall"
import { listWords } from "@tollgate/contract/callWords"
import { useLoad } from "@tollgate/react/effect"
import type * as Effect from "effect/Effect"
import type { account, Session } from "../../session/sessions.ts"
import { count } from "../../ui/amounts.ts"
import { Button, Card, Empty, Loaded, Notice, Page, Skeleton } from "../../ui/kit.tsx"
import { type Column, Pager, Table } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"
import classes from "./calls.module.css"
import { callColumns } from "./callParts.tsx"
import { newestFirst } from "./ExportCalls.tsx"
import { type Filter, queryOf } from "./Filter.ts"
import { filterNames } from "./filterNames.ts"
import { type Choices, Filters } from "./Filters.tsx"
import { operationName } from "./story.ts"

const pageSize = 100

type PageOf<C> = Omit<LoggedCalls, "calls"> & { readonly calls: ReadonlyArray<C> }

type Query = ReturnType<typeof queryOf> & { readonly limit: number; readonly before?: string }

/** The last page is kept, so that who goes back to it finds the place. */
let last:
  | { readonly session: Session | undefined; readonly query: string; readonly page: PageOf<LoggedCall> }
  | undefined

interface CallListProps<C extends LoggedCall> {
  readonly at: "/calls" | "/operator/calls"
  readonly who: typeof account
  readonly load: (query: Query) => Effect.Effect<PageOf<C>, { readonly message: string }, Client>
  readonly choices: Choices
  /** A column after the name of a call. */
  readonly column?: Column<C>
  readonly linkTo: (call: C) => LinkProps
  /** Whose calls they are. */
  readonly lead?: ReactNode
  /** Instead of a list without calls. */
  readonly none: ReactNode
  readonly actions?: (filter: Filter, page: PageOf<C> | undefined) => ReactNode
  readonly children?: ReactNode
}

/** A page of the calls that match. The newest is live: it is loaded again and again. */
const useCalls = <C extends LoggedCall>(
  { load, who }: CallListProps<C>,
  filter: Filter,
  before: string | undefined,
  live: boolean
) => {
  const { session } = who.use()
  const query = JSON.stringify({ ...queryOf(filter), ...(before === undefined ? {} : { before }), limit: pageSize })
  const page = useMemo(() => load(JSON.parse(query) as Query), [load, query])
  // A search looks at thousands of calls each time.
  const every = !live ? undefined : filter.q === undefined ? "1 second" : "3 seconds"
  const loaded = useLoad(page, { every })
  const { value } = loaded
  useEffect(() => {
    if (value !== undefined) last = { session, query, page: value }
  }, [value, session, query])
  // A session is of an account or of the operator, whose calls it had.
  const isCached = last?.session === session && last?.query === query
  return { ...loaded, value: value ?? (isCached ? (last?.page as PageOf<C> | undefined) : undefined) }
}

interface LivenessProps {
  readonly error: unknown
  readonly paused: boolean
}

/** Whether new calls come in. */
const Liveness = ({ error, paused }: LivenessProps) => {
  const [kind, words] = paused ? ["paused", "Paused"] : error ? ["broken", "Not live, trying again"] : ["live", "Live"]
  return (
    <>
      <span className={classes[kind]} aria-hidden="true" />
      {words}
    </>
  )
}

/** A search ended before the page was full. */
const isThin = ({ calls, looked_back_to, next }: PageOf<LoggedCall>): boolean =>
  next !== null && looked_back_to !== null && calls.length < pageSize

/** The page of a log of calls. */
export const CallList = <C extends LoggedCall>(props: CallListProps<C>) => {
  const { actions, at, children, choices, column, lead, linkTo, none } = props
  const { before, ...filter }: Filter & { readonly before?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  // The location is ahead of this page while the next one loads.
  const isHere = useLocation({ select: ({ pathname }) => pathname === at })
  const [pauses, setPauses] = useState(false)
  const loaded = useCalls(props, filter, before, isHere && !pauses && before === undefined)
  const setFilter = (search: Filter) => void navigate({ to: at, search, replace: true })
  const [name, ...others] = callColumns<C>((call) => <Link {...linkTo(call)}>{operationName(call)}</Link>)
  const columns = [name, column, ...others.filter(({ head }) => column === undefined || head !== listWords.key)].filter(
    (one) => one !== undefined
  )
  const { error, value } = loaded
  const filtered = filterNames.some((name) => filter[name] !== undefined)
  return (
    <Page
      title="Calls"
      lead={lead}
      actions={
        <>
          {value === undefined ? null : (
            <span className="soft small">
              {count(value.calls.length)}
              {value.next === null ? "" : "+"} {value.calls.length === 1 ? "call" : "calls"}
            </span>
          )}
          {actions?.(filter, value)}
          {before === undefined ? (
            <Button role="switch" aria-checked={!pauses} onClick={() => setPauses(!pauses)}>
              <Liveness error={error} paused={pauses} />
            </Button>
          ) : null}
        </>
      }
    >
      <Filters choices={choices} filter={filter} onChange={setFilter} />
      <Card flush>
        <Loaded of={loaded} loading={<Skeleton lines={12} />} stale="The calls below are the last that arrived.">
          {(page) => (
            <>
              <Table
                label="Calls"
                columns={columns}
                rows={page.calls.toSorted(newestFirst)}
                keyOf={({ id }) => id}
                empty={
                  page.next !== null ? (
                    <></>
                  ) : filtered ? (
                    <Empty title="No call matches these filters">
                      <span>New calls that match appear here as they are made.</span>
                      <Button onClick={() => setFilter({})}>Clear the filters</Button>
                    </Empty>
                  ) : (
                    none
                  )
                }
              />
              {isThin(page) && page.looked_back_to !== null ? (
                <Notice title={`All calls back to ${fullTime(page.looked_back_to)} were searched.`} />
              ) : null}
              <Pager
                of="calls"
                before={before}
                next={page.next}
                {...(isThin(page) ? { older: "Search further back" } : {})}
                onTurn={(before) =>
                  void navigate({ to: at, search: { ...filter, ...(before === undefined ? {} : { before }) } })
                }
              />
            </>
          )}
        </Loaded>
      </Card>
      {children}
    </Page>
  )
}
