import { type CallOptions, type CallResponse, Client, textOf, withResponse } from "@tollgate/client"
import { call, stream } from "@tollgate/client/discovered"
import { observe } from "@tollgate/client/observe"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import type { Names } from "@tollgate/contract/Names"
import { bind, type Operation } from "@tollgate/contract/Operation"
import type { Quote } from "@tollgate/contract/resources/Quote"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { useMemo, useSyncExternalStore } from "react"
import type { Session } from "../../../session/sessions.ts"
import { usd } from "../../../ui/amounts.ts"
import { answerText, conversationOf, isCutOff } from "../conversation.ts"
import { type Draft, besideArguments, capOf, draftOf, isStreamed } from "./Draft.ts"
import { type Run, type RunLog, newRun, runLog } from "./Run.ts"

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

/** The session's client, with the operator's names. Its hooks tell each run what the client does. */
const playgroundClient = (session: Layer.Layer<Client>, names: Names): Layer.Layer<Client> =>
  Layer.effect(
    Client,
    Effect.map(Client, (client) =>
      Client.of({
        ...client,
        names,
        bound: <O extends Operation>(operation: O) => bind(operation, names),
        beforeRequest: (request) => tell((log) => log.sent(request)),
        afterResponse: (response) => tell((log) => log.answered(response))
      })
    )
  ).pipe(Layer.provide(session), Layer.merge(observer))

/** Makes the call as a program does that knows its id. */
const runEffect = (
  id: string,
  { arguments: given, idempotencyKey, options, streams }: Run,
  onEvents: (events: ReadonlyArray<object>) => void
): Effect.Effect<CallResponse<unknown>, unknown, Client> => {
  const all: CallOptions = idempotencyKey === undefined ? options : { ...options, idempotencyKey }
  return withResponse<unknown, unknown, Client>(
    streams
      ? Stream.runForEachArray(stream(id, given, all), (events) => Effect.sync(() => onEvents(events)))
      : call(id, given, all)
  )
}

export interface Bench {
  readonly draft: Draft
  readonly run: Run | undefined
  /** The same call of another model. */
  readonly beside: Run | undefined
}

/** Two runs of an operation can go on at a time. */
type Place = "run" | "beside"

/** As long as one frame of a screen, so that a fast stream does not render each event. */
const batchMillis = 16
const keptEvents = 300

export type Workbench = ReturnType<typeof makeWorkbench>

/** Drafts and runs of all operations. They stay while somebody looks at other pages, and are in memory only. */
const makeWorkbench = (client: Layer.Layer<Client>, names: Names) => {
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

  /** The answer of a conversation becomes a part of it. */
  const converse = (operation: OfferedOperation, { arguments: given, text: streamed, value }: Run): void => {
    const conversation = conversationOf(operation)
    const text = streamed === "" ? answerText(value) : streamed
    const { draft } = read(operation)
    if (conversation === undefined || text === "" || draft.view !== "chat" || draft.arguments !== given) return
    write(operation, { draft: { ...draft, arguments: conversation.withAnswer(given, text) } })
  }

  const start = (
    operation: OfferedOperation,
    of: Pick<Run, "arguments" | "idempotencyKey" | "options" | "streams">,
    quote: Quote | undefined,
    place: Place = "run"
  ): void => {
    const own = `${place} ${operation.id}`
    const begun = newRun({ ...of, id: ++runs })
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
    const { add, log } = runLog({ names, isFree: operation.is_free, since, update })
    if (quote !== undefined) {
      const { estimate_micros_usd: estimate, max_micros_usd: max } = quote
      add({ title: "Quote", text: `at most ${usd(max)}, about ${usd(estimate)}` })
    }
    if (begun.idempotencyKey !== undefined)
      add({ title: "Ask for the outcome", text: "with the first call's key, so you never pay twice" })

    const onEvents = (events: ReadonlyArray<object>): void => {
      const text = events.map((event) => textOf(event as Parameters<typeof textOf>[0])).join("")
      if (text !== "" && read(operation)[place]?.firstMillis === undefined) {
        add({ title: "First token" }, { firstMillis: performance.now() - since })
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
    const onExit = (exit: Exit.Exit<CallResponse<unknown>, unknown>): void => {
      interrupts.delete(own)
      update((before) => {
        const run = { ...before, totalMillis: performance.now() - since }
        if (Exit.isSuccess(exit)) {
          const { value, ...response } = exit.value
          return { ...run, state: "done", response, value, isCutOff: run.isCutOff || isCutOff(value) }
        }
        if (Cause.hasInterruptsOnly(exit.cause)) return { ...run, state: "stopped" }
        return { ...run, state: "failed", error: Cause.squash(exit.cause) }
      })
      const { run } = read(operation)
      if (place === "run" && run?.id === begun.id && run.state !== "failed") {
        converse(operation, run)
        notify()
      }
    }
    const effect = Effect.provideService(runEffect(operation.id, begun, onEvents), CurrentLog, log)
    interrupts.set(own, runtime.runCallback(effect, { onExit }))
    notify()
  }

  return {
    client,
    read,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit: (operation: OfferedOperation, change: Partial<Draft>): void => {
      write(operation, { draft: { ...read(operation).draft, ...change } })
      notify()
    },
    /** Makes the call. `quote` is the one that was shown beside the button. */
    run: (operation: OfferedOperation, quote: Quote | undefined): void => {
      const { draft } = read(operation)
      const cap = capOf(draft)
      const options = {
        ...(cap === undefined ? {} : { maxPrice: cap }),
        ...(draft.scenario === "" ? {} : { scenario: draft.scenario })
      }
      const of = { options, streams: isStreamed(operation, draft), idempotencyKey: undefined }
      const beside = besideArguments(operation, draft)
      start(operation, { ...of, arguments: draft.arguments }, quote)
      write(operation, { beside: undefined })
      if (beside !== undefined) start(operation, { ...of, arguments: beside }, undefined, "beside")
    },
    /** Asks for the outcome of a run that nobody knows the end of: the same call under its key, which is never paid twice. */
    resume: (operation: OfferedOperation): void => {
      const { run } = read(operation)
      if (run?.idempotencyKey !== undefined) start(operation, run, undefined)
    },
    stop: (operation: OfferedOperation): void => {
      for (const place of ["run", "beside"] as const) {
        const run = read(operation)[place]
        if (run?.state === "running") write(operation, { [place]: { ...run, isStopping: true } })
        interrupts.get(`${place} ${operation.id}`)?.()
      }
    },
    close: (): void => {
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
