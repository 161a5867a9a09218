import type { Client } from "@tollgate/client"
import { type AccountError, calls } from "@tollgate/client/account"
import type { LoggedCall, LoggedCalls } from "@tollgate/contract/account/LoggedCall"
import * as Effect from "effect/Effect"
import { callEnded } from "../../session/useProfile.ts"
import { CallRows } from "./CallRows.ts"
import { asked, changes, type Filter, lasting, matches } from "./Filter.ts"

export interface CallLogView {
  readonly rows: ReadonlyArray<LoggedCall>
  /** New calls that are not shown yet, because the reader is further down. */
  readonly waiting: number
  /** Whether there are older calls. */
  readonly more: boolean
  /** The log was searched back to this time, and waits for `lookFurther`. */
  readonly pausedAt: string | undefined
  readonly loaded: boolean
  readonly paused: boolean
  readonly error: AccountError | undefined
}

const firstPage = 100
const laterPage = 1_000
const polledPage = 1_000
/** A poll that finds more than this begins again with the newest page. */
const polledPages = 5
/** The log forgets its oldest calls beyond this, once they are out of view. */
const mostRows = 20_000
const overlapMillis = 5_000
const pollMillis = 1_000
const longestWaitMillis = 10_000
/** Ended calls may still change: this often the newest page is asked for as a whole. */
const wholeEvery = 30

const latest = (found: ReadonlyArray<LoggedCall>, before: number | undefined): number | undefined =>
  found.reduce<number | undefined>((time, { created_at, ended_at }) => {
    const own = Date.parse(ended_at ?? created_at)
    return time === undefined || own > time ? own : time
  }, before)

/** The gateway looks at some calls at a time, so a page may be empty although there are more. */
/** So many requests that find few calls follow each other without being asked for: each looks at 5,000 calls. */
const mostThin = 20

const isEmptyBefore = ({ calls, next }: LoggedCalls): boolean => calls.length === 0 && next !== null

/** The calls that match a filter, kept up to date while `run` runs. */
export class CallLog {
  readonly #filter: Filter
  readonly #rows = new CallRows()
  readonly #listeners = new Set<() => void>()
  #view: CallLogView = {
    rows: [],
    waiting: 0,
    more: false,
    pausedAt: undefined,
    loaded: false,
    paused: false,
    error: undefined
  }
  #next: string | null = null
  /** Of the newest call that is known, by the gateway's clock. */
  #time: number | undefined
  #polls = 0
  #failures = 0
  #holding = false
  #wantsOlder = false
  /** How many pages in a row were not full. */
  #thin = 0
  #lookedBackTo: string | undefined
  #wake = () => {}

  constructor(filter: Filter) {
    this.#filter = filter
  }

  readonly read = (): CallLogView => this.#view
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  readonly pause = (paused: boolean): void => {
    this.#show({ paused })
    if (!paused) this.#wake()
  }
  /** While held, no row moves. */
  readonly hold = (holding: boolean): void => {
    if (this.#holding === holding) return
    this.#holding = holding
    if (!holding) this.release()
  }
  readonly release = (): void => {
    this.#rows.release(this.#matches)
    this.#show({})
  }
  readonly loadOlder = (): void => {
    if (this.#next === null || this.#wantsOlder || this.#thin >= mostThin) return
    this.#wantsOlder = true
    this.#wake()
  }
  /** Searches on where it stopped. */
  readonly lookFurther = (): void => {
    this.#thin = 0
    this.loadOlder()
    this.#show({})
  }
  readonly retry = (): void => this.#wake()

  readonly #matches = (call: LoggedCall): boolean => matches(this.#filter, call)

  #show(change: Partial<CallLogView>): void {
    const { rows, waiting } = this.#rows
    const pausedAt = this.#next !== null && this.#thin >= mostThin ? this.#lookedBackTo : undefined
    this.#view = { ...this.#view, rows, waiting, more: this.#next !== null, pausedAt, ...change }
    for (const listener of this.#listeners) listener()
  }

  #follow(page: LoggedCalls, limit: number): void {
    this.#next = page.next
    this.#lookedBackTo = page.looked_back_to ?? undefined
    this.#thin = page.calls.length < limit ? this.#thin + 1 : 0
    this.#wantsOlder = isEmptyBefore(page) && this.#thin < mostThin
  }

  readonly #begin = Effect.gen({ self: this }, function* () {
    const page = yield* calls({ ...asked(this.#filter), limit: firstPage })
    this.#time = latest(page.calls, this.#time)
    if (changes(this.#filter)) {
      // Other calls are newer, and the next poll asks for those since then.
      const all = yield* calls({ ...lasting(this.#filter), limit: firstPage })
      this.#time = latest(all.calls, this.#time)
    }
    this.#thin = 0
    this.#follow(page, firstPage)
    this.#rows.replace(page.calls)
    this.#show({ loaded: true, error: undefined })
  })

  readonly #older = Effect.gen({ self: this }, function* () {
    if (this.#next === null) return
    const page = yield* calls({ ...asked(this.#filter), limit: laterPage, before: this.#next })
    this.#follow(page, laterPage)
    this.#rows.append(page.calls)
    this.#show({ error: undefined })
  }).pipe(
    Effect.catch((error) => {
      // The gateway no longer knows where this reader was.
      if (!("status" in error) || error.status !== 400) return Effect.fail(error)
      this.#wantsOlder = false
      return this.#begin
    })
  )

  readonly #poll = Effect.gen({ self: this }, function* () {
    this.#polls++
    const isWhole = this.#polls % wholeEvery === 0 || this.#time === undefined
    const query = isWhole
      ? { ...asked(this.#filter), limit: firstPage }
      : { ...lasting(this.#filter), limit: polledPage, since: this.#time! - overlapMillis }
    let page = yield* calls(query)
    const found = [...page.calls]
    for (let pages = 1; !isWhole && page.next !== null; pages++) {
      if (pages === polledPages) return yield* this.#begin
      page = yield* calls({ ...query, before: page.next })
      found.push(...page.calls)
    }
    this.#time = latest(found, this.#time)
    const changed = this.#rows.add(found, this.#matches, this.#holding)
    if (changed) callEnded()
    if (changed || this.#view.error !== undefined) this.#show({ error: undefined })
  })

  readonly #step = Effect.suspend((): Effect.Effect<void, AccountError, Client> => {
    if (!this.#view.loaded) return this.#begin
    if (this.#wantsOlder) return this.#older
    if (this.#view.paused || document.hidden) return Effect.void
    return !this.#holding && this.#view.rows.length > mostRows ? this.#begin : this.#poll
  }).pipe(
    Effect.match({
      onSuccess: () => {
        this.#failures = 0
      },
      onFailure: (error) => {
        this.#failures++
        this.#show({ error })
      }
    })
  )

  /** Waits for the next poll, or until something is wanted. */
  readonly #wait = Effect.callback<void>((resume) => {
    const stop = () => {
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", done)
    }
    const done = () => {
      stop()
      resume(Effect.void)
    }
    const timer = setTimeout(done, Math.min(longestWaitMillis, pollMillis * 2 ** this.#failures))
    document.addEventListener("visibilitychange", done)
    this.#wake = done
    if (this.#wantsOlder && this.#failures === 0) done()
    return Effect.sync(stop)
  })

  readonly run: Effect.Effect<never, never, Client> = Effect.forever(
    Effect.suspend(() => Effect.andThen(this.#step, this.#wait))
  )
}
