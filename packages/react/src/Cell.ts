import { useEffect, useState, useSyncExternalStore } from "react"

/** Work ended for a reason that its errors do not list: a wrong option of the client, or a bug. `cause` is what was thrown. */
export class Defect extends Error {
  readonly _tag = "Defect"

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** An error of the client, such as `RateLimited`, or a `Defect`. */
export type Failure = Error & { readonly _tag: string }

const failureOf = (reason: unknown): Failure =>
  reason instanceof Error && "_tag" in reason ? (reason as Failure) : new Defect(reason)

const isAbort = (reason: unknown): boolean => reason instanceof Error && reason.name === "AbortError"

/** Sets the state while the work is the current one, and does nothing after that. */
export interface Writer<S> {
  readonly write: (next: S) => void
  /** Sets the state soon, with everything else that arrives until then. */
  readonly writeSoon: (next: () => S) => void
}

export interface Work<S, A, E> {
  readonly begin: S
  readonly run: (writer: Writer<S>, signal: AbortSignal) => Promise<A>
  readonly done: (value: A, state: S) => S
  readonly failed: (error: E | Defect, state: S) => S
}

/** The state of one component, and the work that changes it: one piece at a time. */
export interface Cell<S> {
  readonly read: () => S
  readonly subscribe: (listener: () => void) => () => void
  /** Ends the work that runs, and begins another. */
  readonly start: <A, E>(work: Work<S, A, E>) => void
  readonly stop: () => void
}

/** About one render for each frame of a screen. Unlike a frame, a timer fires in a hidden tab too. */
export const batchMillis = 16

export const makeCell = <S>(idle: S, stopped: (state: S) => S): Cell<S> => {
  const listeners = new Set<() => void>()
  let state = idle
  let pending: (() => S) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: AbortController | undefined

  const write = (next: S): void => {
    clearTimeout(timer)
    timer = pending = undefined
    state = next
    for (const listener of listeners) listener()
  }
  const latest = (): S => pending?.() ?? state

  const stop = (): void => {
    if (running === undefined) return
    const stopping = running
    running = undefined
    write(stopped(latest()))
    stopping.abort()
  }

  return {
    read: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start: <A, E>({ begin, done, failed, run }: Work<S, A, E>) => {
      const own = new AbortController()
      const replaced = running
      running = own
      replaced?.abort()
      const isCurrent = () => running === own
      const writer: Writer<S> = {
        write: (next) => {
          if (isCurrent()) write(next)
        },
        writeSoon: (next) => {
          if (!isCurrent()) return
          pending = next
          timer ??= setTimeout(() => write(latest()), batchMillis)
        }
      }
      const end = (next: (state: S) => S) => {
        if (!isCurrent()) return
        running = undefined
        write(next(latest()))
      }
      write(begin)
      // Strict mode mounts twice in one tick, so work that an effect starts is replaced before it sends anything.
      queueMicrotask(async () => {
        if (!isCurrent()) return
        try {
          const value = await run(writer, own.signal)
          end((state) => done(value, state))
        } catch (reason) {
          end(isAbort(reason) ? stopped : (state) => failed(failureOf(reason) as E | Defect, state))
        }
      })
    },
    stop
  }
}

/** The component's own cell and its state. What runs in it ends when the component unmounts. */
export const useCell = <S>(idle: S, stopped: (state: S) => S): readonly [S, Cell<S>] => {
  const [cell] = useState(() => makeCell(idle, stopped))
  const state = useSyncExternalStore(cell.subscribe, cell.read, cell.read)
  useEffect(() => cell.stop, [cell])
  return [state, cell]
}
