import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Answered } from "../attempt.ts"
import { Watcher, type Watch } from "../observe/Watch.ts"

interface Responded<A> {
  readonly value: A
  readonly cost: Charge
  readonly replayed: boolean
  readonly requestId: string | undefined
}

const none: Watch = {
  headers: {},
  attempt: (a) => a,
  answered: () => {},
  quoted: () => {},
  opened: () => {},
  events: (_, e) => e,
  charged: () => {}
}

/** INTERIM until withResponse exists. */
export const responded = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Responded<A>, E, R> =>
  Effect.suspend(() => {
    let last: Answered<unknown> | undefined
    return Effect.map(
      Effect.provideService(effect, Watcher, {
        whole: (subject, call) =>
          call({
            ...none,
            answered: (a) => {
              if (subject.mode === "call") last = a
            }
          }),
        scoped: (_, call) => call(undefined)
      }),
      (value) => ({
        value,
        cost: last?.charge ?? { state: "unknown" },
        replayed: last?.replayed ?? false,
        requestId: last?.head.headers["x-request-id"]
      })
    )
  })
