import type { Client } from "@tollgate/client/Client"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { useEffect, useState, useSyncExternalStore } from "react"
import type { Runner } from "./TollgateProvider.ts"

/** A call ended for a reason that its errors do not list: a wrong option of the client, or a bug. `cause` is what was thrown. */
export class Defect extends Error {
  readonly _tag = "Defect"

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Sets the state while the work is the current one, and does nothing after that. */
export interface Writer<S> {
  readonly write: (next: S) => void
  /** Sets the state soon, with everything else that arrives until then. */
  readonly writeSoon: (next: () => S) => void
}

export interface Work<S, A, E> {
  readonly begin: S
  readonly effect: (writer: Writer<S>) => Effect.Effect<A, E, Client>
  readonly done: (value: A, state: S) => S
  readonly failed: (error: E | Defect, state: S) => S
}

/** The state of one component, and the work that changes it: one piece at a time. */
export interface Cell<S> {
  readonly read: () => S
  readonly subscribe: (listener: () => void) => () => void
  /** Ends the work that runs, and begins another. */
  readonly start: <A, E>(runner: Runner, work: Work<S, A, E>) => void
  readonly stop: () => void
}

/** About one render for each frame of a screen. Unlike a frame, a timer fires in a hidden tab too. */
export const batchMillis = 16

const errorIn = <E>(cause: Cause.Cause<E>): E | Defect =>
  cause.reasons.find(Cause.isFailReason)?.error ?? new Defect(Cause.squash(cause))

export const makeCell = <S>(idle: S, stopped: (state: S) => S): Cell<S> => {
  const listeners = new Set<() => void>()
  let state = idle
  let pending: (() => S) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let interrupt: (() => void) | undefined

  const write = (next: S): void => {
    clearTimeout(timer)
    timer = pending = undefined
    state = next
    for (const listener of listeners) listener()
  }
  const latest = (): S => pending?.() ?? state

  const stop = (): void => {
    if (interrupt === undefined) return
    const interrupted = interrupt
    interrupt = undefined
    write(stopped(latest()))
    interrupted()
  }

  return {
    read: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start: (runner, { begin, done, effect, failed }) => {
      const replaced = interrupt
      let cancel = () => {}
      const own = () => cancel()
      interrupt = own
      replaced?.()
      const isCurrent = () => interrupt === own
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
      write(begin)
      // Strict mode mounts twice in one tick, so work that an effect starts is replaced before it sends anything.
      queueMicrotask(() => {
        if (!isCurrent()) return
        cancel = runner.run(
          Effect.suspend(() => effect(writer)),
          (exit) => {
            if (!isCurrent()) return
            interrupt = undefined
            const last = latest()
            if (Exit.isSuccess(exit)) write(done(exit.value, last))
            else write(Cause.hasInterruptsOnly(exit.cause) ? stopped(last) : failed(errorIn(exit.cause), last))
          }
        )
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
