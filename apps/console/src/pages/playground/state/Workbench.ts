import { type CallOptions, type CallResponse, Client, resume, textOf, withResponse } from "@tollgate/client"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { observe } from "@tollgate/client/observe"
import type { Names } from "@tollgate/contract/Names"
import { bind, type Operation } from "@tollgate/contract/Operation"
import type { Quote } from "@tollgate/contract/resources/Quote"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { answerText, conversationOf, isCutOff } from "../conversation.ts"
import { type Functions, functionsOf, inputOf, isStreamed } from "../client/functions.ts"
import type { Arguments } from "../json.ts"
import { type Draft, besideArguments, capOf, draftOf } from "./Draft.ts"
import { type Run, type RunLog, canAskFor, newRun, runLog } from "./Run.ts"
import * as Stream from "effect/Stream"
import { useMemo, useSyncExternalStore } from "react"
import type { Session } from "../../../session/sessions.ts"

/** Set for the effects of a run, so that the hooks of the client, which all runs share, know whose request it is. */
const CurrentLog = Context.Reference<RunLog | undefined>("console/RunLog", { defaultValue: () => undefined })

const tell = (about: (log: RunLog) => void): Effect.Effect<void> =>
  Effect.map(CurrentLog, (log) => {
    if (log !== undefined) about(log)
  })

const observer = observe(() =>
  Effect.map(CurrentLog, (log) =>
    log === undefined ? {} : { attempted: (_: number, failed) => log.attempted(failed), ended: log.ended }
  )
)

/**
 * The session's client, with the operator's names, and the paths that the operator bound read from the gateway's contract. Its
 * hooks tell each run what the client does.
 */
const playgroundClient = (session: Layer.Layer<Client>, names: Names): Layer.Layer<Client> =>
  Layer.effect(
    Client,
    Effect.map(Client, (client) =>
      Client.of({
        ...client,
        names,
        discover: true,
        bound: <O extends Operation>(operation: O) => bind(operation, names),
        beforeRequest: (request) => tell((log) => log.sent(request)),
        afterResponse: (response) => tell((log) => log.answered(response))
      })
    )
  ).pipe(Layer.provide(session), Layer.merge(observer))

/** How a run begins: with an input, or by asking for the outcome of one that failed. */
type Begin =
  | { readonly input: never; readonly options: CallOptions }
  /** The error of a call whose outcome is unknown. */
  | { readonly unknown: Error }

interface OnEvents {
  (text: string, events: ReadonlyArray<object>): void
}

type Ran = Effect.Effect<CallResponse<unknown>, unknown, Client>

const streamed = (events: Stream.Stream<object, unknown, Client>, onEvents: OnEvents): Ran =>
  withResponse(
    Stream.runForEachArray(events, (arrived) =>
      Effect.sync(() =>
        onEvents(arrived.map((event) => textOf(event as Parameters<typeof textOf>[0])).join(""), arrived)
      )
    )
  )

/** Makes the call with the client's own function. */
const runEffect = ({ call, stream }: Functions, streams: boolean, begin: Begin, onEvents: OnEvents): Ran => {
  if (streams && stream !== undefined) {
    return streamed("unknown" in begin ? resume(stream, begin.unknown) : stream(begin.input, begin.options), onEvents)
  }
  return withResponse("unknown" in begin ? resume(call, begin.unknown) : call(begin.input, begin.options))
}

/** What is on the page of one operation. */
export interface Bench {
  readonly draft: Draft
  readonly run: Run | undefined
  /** The same call of another model. */
  readonly beside: Run | undefined
}

/** Two runs of an operation can go on at a time. */
type Place = "run" | "beside"

/** Drafts and runs of all operations. They stay while somebody looks at other pages, and are in memory only. */
export interface Workbench {
  readonly client: Layer.Layer<Client>
  readonly read: (operation: OfferedOperation) => Bench
  readonly subscribe: (listener: () => void) => () => void
  readonly edit: (operation: OfferedOperation, change: Partial<Draft>) => void
  /** Makes the call. `quote` is the one that was shown beside the button. */
  readonly run: (operation: OfferedOperation, quote: Quote | undefined) => void
  /** Asks for the outcome of a run that nobody knows the end of. It never pays twice. */
  readonly resume: (operation: OfferedOperation) => void
  readonly stop: (operation: OfferedOperation) => void
  readonly close: () => void
}

/** As long as one frame of a screen, so that a fast stream does not render each event. */
const batchMillis = 16
const keptEvents = 300

export const makeWorkbench = (client: Layer.Layer<Client>, names: Names): Workbench => {
  const runtime = ManagedRuntime.make(client)
  const benches = new Map<string, Bench>()
  const listeners = new Set<() => void>()
  const interrupts = new Map<string, () => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let runs = 0

  const read = (operation: OfferedOperation): Bench => {
    const known = benches.get(operation.id) ?? { draft: draftOf(operation), run: undefined, beside: undefined }
    benches.set(operation.id, known)
    return known
  }
  const notify = (): void => {
    clearTimeout(timer)
    timer = undefined
    for (const listener of listeners) listener()
  }
  const write = (operation: OfferedOperation, change: Partial<Bench>): void => {
    benches.set(operation.id, { ...read(operation), ...change })
  }
  const edit: Workbench["edit"] = (operation, change) => {
    write(operation, { draft: { ...read(operation).draft, ...change } })
    notify()
  }

  /** The answer of a conversation becomes a part of it. */
  const converse = (operation: OfferedOperation, { arguments: given, text: streamed, value }: Run): void => {
    const conversation = conversationOf(operation)
    const text = streamed === "" ? answerText(value) : streamed
    const { draft } = read(operation)
    if (conversation === undefined || text === "" || draft.view !== "chat" || draft.arguments !== given) return
    write(operation, { draft: { ...draft, arguments: conversation.withAnswer(given, text) } })
  }

  const placeOf = ({ id }: OfferedOperation, place: Place): string => `${place} ${id}`

  const start = (
    operation: OfferedOperation,
    begun: Run,
    begin: Begin,
    quote: Quote | undefined,
    place: Place = "run"
  ): void => {
    const own = placeOf(operation, place)
    interrupts.get(own)?.()
    const since = performance.now()
    const update = (change: (run: Run) => Run, soon = false): void => {
      const run = read(operation)[place]
      if (run?.id !== begun.id) return
      write(operation, { [place]: change(run) })
      if (soon) timer ??= setTimeout(notify, batchMillis)
      else notify()
    }
    write(operation, { [place]: begun })
    const { add, log } = runLog(names, since, update)
    if (quote !== undefined) add({ kind: "quoted", estimate: quote.estimate_micros_usd, max: quote.max_micros_usd })
    if (begun.idempotencyKey !== undefined) add({ kind: "resumed" })

    const onEvents = (text: string, events: ReadonlyArray<object>): void => {
      if (text !== "" && read(operation)[place]?.firstMillis === undefined) {
        add({ kind: "first" }, { firstMillis: performance.now() - since })
      }
      update(
        (run) => ({
          ...run,
          text: run.text + text,
          events: run.events.length < keptEvents ? [...run.events, ...events].slice(0, keptEvents) : run.events,
          eventCount: run.eventCount + events.length,
          isCutOff: run.isCutOff || events.some(isCutOff)
        }),
        true
      )
    }
    const effect = Effect.provideService(
      Effect.suspend(() => runEffect(functionsOf(operation), begun.streams, begin, onEvents)),
      CurrentLog,
      log
    )
    const end = (change: (run: Run) => Run): void => {
      interrupts.delete(own)
      update((run) => change({ ...run, totalMillis: performance.now() - since }))
      const { run } = read(operation)
      if (place === "run" && run?.id === begun.id && run.state !== "failed") {
        converse(operation, run)
        notify()
      }
    }
    const interrupt = runtime.runCallback(effect, {
      onExit: (exit) =>
        end((run): Run => {
          if (Exit.isSuccess(exit)) {
            const { value, ...response } = exit.value
            return { ...run, state: "done", response, value, isCutOff: run.isCutOff || isCutOff(value) }
          }
          if (Cause.hasInterruptsOnly(exit.cause)) return { ...run, state: "stopped" }
          return { ...run, state: "failed", error: Cause.squash(exit.cause) }
        })
    })
    interrupts.set(own, interrupt)
    notify()
  }

  return {
    client,
    read,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit,
    run: (operation, quote) => {
      const { draft } = read(operation)
      const cap = capOf(draft)
      const functions = functionsOf(operation)
      const streams = isStreamed(functions, draft.streams)
      const inputFrom = (given: Arguments) => inputOf(operation, functions.operation, given)
      const options = {
        ...(cap === undefined ? {} : { maxPrice: cap }),
        ...(draft.scenario === "" ? {} : { scenario: draft.scenario })
      }
      const given = draft.arguments
      const beside = besideArguments(operation, draft)
      start(operation, newRun(++runs, given, options, streams), { input: inputFrom(given), options }, quote)
      write(operation, { beside: undefined })
      if (beside !== undefined) {
        const begin = { input: inputFrom(beside), options }
        start(operation, newRun(++runs, beside, options, streams), begin, undefined, "beside")
      }
    },
    resume: (operation) => {
      const { run } = read(operation)
      if (run === undefined) return
      const { arguments: given, error, idempotencyKey, options, streams } = run
      const next = { ...newRun(++runs, given, options, streams), idempotencyKey }
      if (error instanceof Error) start(operation, next, { unknown: error }, undefined)
      else if (canAskFor(run) && idempotencyKey !== undefined) {
        const input = inputOf(operation, functionsOf(operation).operation, given)
        start(operation, next, { input, options: { ...options, idempotencyKey } }, undefined)
      }
    },
    stop: (operation) => {
      for (const place of ["run", "beside"] as const) {
        const run = read(operation)[place]
        if (run?.state === "running") write(operation, { [place]: { ...run, isStopping: true } })
        interrupts.get(placeOf(operation, place))?.()
      }
    },
    close: () => {
      for (const interrupt of interrupts.values()) interrupt()
      void runtime.dispose()
    }
  }
}

interface Kept {
  readonly session: Session
  readonly names: string
  readonly workbench: Workbench
}

/** It outlives the page, so that the back button finds what was typed. Another session begins with an empty one. */
let kept: Kept | undefined

const workbenchOf = (session: Session, names: Names): Workbench => {
  const text = JSON.stringify(names)
  if (kept === undefined || kept.session !== session || kept.names !== text) {
    kept?.workbench.close()
    kept = { session, names: text, workbench: makeWorkbench(playgroundClient(session.client, names), names) }
  }
  return kept.workbench
}

export const useWorkbench = (session: Session, names: Names): Workbench =>
  useMemo(() => workbenchOf(session, names), [session, names])

export const useBench = (workbench: Workbench, operation: OfferedOperation): Bench =>
  useSyncExternalStore(workbench.subscribe, () => workbench.read(operation))
