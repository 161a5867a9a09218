import { Link, useNavigate, useSearch, useLocation } from "@tanstack/react-router"
import { type MouseEvent, useMemo, useSyncExternalStore } from "react"
import { count } from "../../ui/amounts.ts"
import { Button, Empty, ErrorNotice, Notice, Page, Skeleton } from "../../ui/kit.tsx"
import { fullTime } from "../../ui/times.ts"
import { VirtualGrid } from "../../ui/VirtualGrid.tsx"
import { type CallLogView, CallLog } from "./CallLog.ts"
import { callColumns, CallRow } from "./CallRow.tsx"
import classes from "./calls.module.css"
import { ExportCalls } from "./ExportCalls.tsx"
import { type Filter, filterNames } from "./Filter.ts"
import { Filters } from "./Filters.tsx"
import { useLoad } from "@tollgate/react"
import type { Session } from "../../session/Session.ts"
import { useSessions } from "../../session/SessionProvider.tsx"

interface Kept {
  readonly session: Session | undefined
  /** The entry of the browser's history. */
  readonly entry: string | undefined
  readonly address: string
  readonly log: CallLog
  scrollTop: number
}

/** The last log is kept, so that who goes back to it finds it as it was. Who comes by a link begins with the newest. */
let last: Kept | undefined

const keep = (session: Session | undefined, entry: string | undefined, address: string): Kept => {
  const isSame = last?.session === session && last?.address === address
  if (last === undefined || !isSame || (entry !== undefined && last.entry !== entry))
    last = { session, entry, address, log: new CallLog(JSON.parse(address) as Filter), scrollTop: 0 }
  return last
}

/** The calls that match a filter, as they begin and end. */
const useCallLog = (filter: Filter) => {
  const { session } = useSessions()
  // The location is ahead of this page while the next one loads.
  const entry = useLocation({
    select: ({ pathname, state }) => (pathname === "/calls" ? state.__TSR_key : undefined)
  })
  const address = JSON.stringify(Object.fromEntries(filterNames.map((name) => [name, filter[name]])))
  const kept = useMemo(() => keep(session, entry, address), [session, entry, address])
  useLoad(kept.log.run)
  return { kept, log: kept.log, view: useSyncExternalStore(kept.log.subscribe, kept.log.read) }
}

/** Whether a media query matches, as it changes. */
const useMedia = (query: string): boolean => {
  const [subscribe, read] = useMemo(() => {
    const list = matchMedia(query)
    const subscribe = (listener: () => void) => {
      list.addEventListener("change", listener)
      return () => list.removeEventListener("change", listener)
    }
    return [subscribe, () => list.matches] as const
  }, [query])
  return useSyncExternalStore(subscribe, read)
}

/** Whether new calls come in. */
const Liveness = ({ view: { error, paused } }: { readonly view: Pick<CallLogView, "error" | "paused"> }) => {
  const [kind, words] = paused
    ? (["paused", "Paused"] as const)
    : error === undefined
      ? (["live", "Live"] as const)
      : (["broken", "status" in error ? "Not live, trying again" : "Not connected, trying again"] as const)
  return (
    <>
      <span className={classes[kind]} aria-hidden="true" />
      {words}
    </>
  )
}

/** The media query of `calls.module.css` for rows of two lines. */
const narrow = "(max-width: 52rem)"

const head = callColumns.map((name) => (
  <span key={name} role="columnheader" className={classes[`head-${name.toLowerCase()}`]}>
    {name}
  </span>
))

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

const summary = ({ loaded, more, rows }: CallLogView): string =>
  loaded ? `${count(rows.length)}${more ? "+" : ""} ${rows.length === 1 ? "call" : "calls"}` : "Loading"

export const CallsPage = () => {
  const search: Filter = useSearch({ from: "/calls" })
  const navigate = useNavigate({ from: "/calls" })
  const { kept, log, view } = useCallLog(search)
  const isNarrow = useMedia(narrow)
  const { error, loaded, more, paused, pausedAt, rows, waiting } = view
  const setFilter = (filter: Filter) => void navigate({ search: filter, replace: true })
  const open = (call: string) => void navigate({ to: "/calls/$call", params: { call } })
  const follow = (event: MouseEvent) => {
    const id = event.target instanceof HTMLElement ? event.target.dataset["call"] : undefined
    if (id === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    open(id)
  }
  const showNew = () => {
    log.release()
    document.querySelector(`[role="grid"]`)?.scrollTo({ top: 0 })
  }
  return (
    <Page
      title="Calls"
      actions={
        <>
          {/* The number changes with every call: a screen reader is told of the loading alone. */}
          <span className="soft small" role={view.loaded ? undefined : "status"}>
            {summary(view)}
          </span>
          <ExportCalls filter={search} disabled={rows.length === 0} />
          <Button role="switch" aria-checked={!paused} onClick={() => log.pause(!paused)}>
            <Liveness view={view} />
          </Button>
        </>
      }
    >
      <Filters filter={search} onChange={setFilter} />
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <p className="small">
            {loaded ? "The calls below are the last that arrived. " : ""}
            <Button onClick={log.retry}>Try again</Button>
          </p>
        </ErrorNotice>
      )}
      {pausedAt === undefined ? null : (
        <Notice title={`All calls back to ${fullTime(pausedAt)} were searched.`}>
          <p>
            <Button onClick={log.lookFurther}>Search further back</Button>
          </p>
        </Notice>
      )}
      <section className={classes["log"]} onClick={follow} aria-label="Log">
        {waiting === 0 ? null : (
          <Button kind="main" className={classes["new"] ?? ""} onClick={showNew}>
            {count(waiting)} new {waiting === 1 ? "call" : "calls"}
          </Button>
        )}
        {rows.length === 0 ? (
          <div className={classes["empty"]}>
            {error !== undefined ? null : loaded && (!more || pausedAt !== undefined) ? (
              <NoCalls filtered={Object.keys(search).length > 0} onClear={() => setFilter({})} />
            ) : (
              <Skeleton lines={12} />
            )}
          </div>
        ) : (
          <VirtualGrid
            key={`${kept.entry} ${kept.address}`}
            label="Calls"
            head={head}
            count={rows.length}
            more={more}
            rowHeight={isNarrow ? 64 : 48}
            row={(index, id, active) => {
              const call = rows[index]
              return call === undefined ? null : (
                <CallRow key={call.id} call={call} index={index} id={id} active={active} />
              )
            }}
            onOpen={(index) => open(rows[index]?.id ?? "")}
            onNearEnd={log.loadOlder}
            onAtTop={(atTop) => log.hold(!atTop)}
            scrollTop={kept.scrollTop}
            onScroll={(scrollTop) => {
              kept.scrollTop = scrollTop
            }}
          />
        )}
      </section>
      <p className="soft small">
        We keep no prompts or answers here. Answers of calls with an idempotency key are kept for 24 hours, others only
        if the call asked for that with the cache header. Of a failure the code and the start of the message are kept.
      </p>
    </Page>
  )
}
