import { Link, useLocation, useNavigate, useSearch } from "@tanstack/react-router"
import { calls } from "@tollgate/client/account"
import type { LoggedCall, LoggedCalls } from "@tollgate/contract/account/LoggedCall"
import { useLoad } from "@tollgate/react"
import { useEffect, useMemo, useState } from "react"
import { account, type Session } from "../../session/sessions.ts"
import { count } from "../../ui/amounts.ts"
import { Button, Card, Empty, Loaded, Notice, Page, Skeleton } from "../../ui/kit.tsx"
import { Table } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"
import { callColumns } from "./callParts.tsx"
import classes from "./calls.module.css"
import { ExportCalls, newestFirst } from "./ExportCalls.tsx"
import { type Filter, filterNames, queryOf } from "./Filter.ts"
import { Filters } from "./Filters.tsx"
import { operationName } from "./story.ts"

const pageSize = 100

/** The last page is kept, so that who goes back to it finds the place. */
let last: { readonly session: Session | undefined; readonly query: string; readonly page: LoggedCalls } | undefined

/** A page of the calls that match. The newest is live: it is loaded again and again. */
const useCalls = (filter: Filter, before: string | undefined, live: boolean) => {
  const { session } = account.use()
  const query = JSON.stringify({ ...queryOf(filter), ...(before === undefined ? {} : { before }), limit: pageSize })
  const load = useMemo(() => calls(JSON.parse(query) as ReturnType<typeof queryOf>), [query])
  // A search looks at thousands of calls each time.
  const every = !live ? undefined : filter.q === undefined ? "1 second" : "3 seconds"
  const loaded = useLoad(load, { every })
  const { value } = loaded
  useEffect(() => {
    if (value !== undefined) last = { session, query, page: value }
  }, [value, session, query])
  const isCached = last?.session === session && last?.query === query
  return { ...loaded, value: value ?? (isCached ? last?.page : undefined) }
}

const columns = callColumns((call: LoggedCall) => (
  <Link to="/calls/$call" params={{ call: call.id }}>
    {operationName(call)}
  </Link>
))

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

const NoCalls = ({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) =>
  filtered ? (
    <Empty title="No call matches these filters">
      <span>Calls that do appear here as they are made.</span>
      <Button onClick={onClear}>Clear the filters</Button>
    </Empty>
  ) : (
    <Empty title="No calls yet">
      <span>They appear here as they are made.</span>
      <Link className="button main" to="/playground">
        Open the playground
      </Link>
    </Empty>
  )

interface TurnProps {
  readonly before: string | undefined
  readonly page: LoggedCalls
  readonly onTurn: (before: string | undefined) => void
}

/** To older calls, and back to the newest. */
const Turn = ({ before, onTurn, page: { calls, looked_back_to, next } }: TurnProps) => {
  const isThin = next !== null && looked_back_to !== null && calls.length < pageSize
  return (
    <>
      {isThin ? <Notice title={`All calls back to ${fullTime(looked_back_to)} were searched.`} /> : null}
      {before === undefined && next === null ? null : (
        <p className="row">
          {before === undefined ? null : <Button onClick={() => onTurn(undefined)}>Newest calls</Button>}
          {next === null ? null : (
            <Button onClick={() => onTurn(next)}>{isThin ? "Search further back" : "Older calls"}</Button>
          )}
        </p>
      )}
    </>
  )
}

export const CallsPage = () => {
  const { before, ...filter } = useSearch({ from: "/calls" })
  const navigate = useNavigate({ from: "/calls" })
  const [pauses, setPauses] = useState(false)
  // The location is ahead of this page while the next one loads.
  const isHere = useLocation({ select: ({ pathname }) => pathname === "/calls" })
  const loaded = useCalls(filter, before, isHere && !pauses && before === undefined)
  const setFilter = (filter: Filter) => void navigate({ search: filter, replace: true })
  const turn = (before: string | undefined) => void navigate({ search: { ...filter, before } })
  const { error, value } = loaded
  return (
    <Page
      title="Calls"
      actions={
        <>
          {value === undefined ? null : (
            <span className="soft small">
              {count(value.calls.length)}
              {value.next === null ? "" : "+"} {value.calls.length === 1 ? "call" : "calls"}
            </span>
          )}
          <ExportCalls filter={filter} disabled={value === undefined || value.calls.length === 0} />
          {before === undefined ? (
            <Button role="switch" aria-checked={!pauses} onClick={() => setPauses(!pauses)}>
              <Liveness error={error} paused={pauses} />
            </Button>
          ) : null}
        </>
      }
    >
      <Filters filter={filter} onChange={setFilter} />
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
                  page.next === null ? (
                    <NoCalls
                      filtered={filterNames.some((name) => filter[name] !== undefined)}
                      onClear={() => setFilter({})}
                    />
                  ) : (
                    <></>
                  )
                }
              />
              <Turn before={before} page={page} onTurn={turn} />
            </>
          )}
        </Loaded>
      </Card>
      <p className="soft small">
        We keep no prompts or answers here. Answers of calls with an idempotency key are kept for 24 hours, others only
        if the call asked for that with the cache header. Responses are kept with their input unless the call said
        store: false. Of a failure the code and the start of the message are kept.
      </p>
    </Page>
  )
}
