import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Bound, Operation } from "@tollgate/contract/Operation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Stream } from "effect/Stream"
import { bindOperation } from "./bindOperation.ts"
import { type CallOptions, millisOf } from "../options/CallOptions.ts"
import type { Client } from "../Client.ts"
import { inputInvalid, type InputInvalid, type TransportFailed } from "../errors/errors.ts"
import { Resumed } from "./memory.ts"
import type { Policy } from "../retry/Policy.ts"
import { callNames, refuseUnknown, takenNames } from "../options/names.ts"
import { merge, Settings } from "../options/settings.ts"
import type { AskCharge } from "./AskCharge.ts"
import { Trace } from "./trace.ts"

/** One call of a function: what is called, with which settings, and until when. */
export interface Invocation<O extends Operation = Operation> {
  readonly client: Client["Service"]
  /** As the function was made with it. */
  readonly source: O
  readonly isStream: boolean
  readonly input: unknown
  readonly operation: Bound<O>
  readonly settings: Settings
  readonly policy: Policy
  readonly timeoutMillis: number
  readonly attemptMillis: number
  readonly idleMillis: number
  readonly leftMillis: () => number
  readonly trace: Trace | undefined
  /** Whether the current attempt has been sent, as far as is known. */
  isSent?: boolean
  /** An attempt of its own has failed that may have been charged. */
  mayHaveRun?: boolean
  /** Of a stream that is about to be sent. */
  ask?: AskCharge
  /** The body of a stream, until somebody reads it. */
  unread?: Stream<Uint8Array, NotCarried> | undefined
}

/** A call of this operation that starts now. */
export const invoke = <O extends Operation>(
  client: Client["Service"],
  source: O,
  input: unknown,
  options?: CallOptions,
  isStream = false
): Effect.Effect<Invocation<O>, InputInvalid | TransportFailed> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const outer = fiber.getRef(Settings)
    const trace = fiber.getRef(Trace)
    const resumed = fiber.getRef(Resumed)
    const settings = options === undefined ? outer : merge(outer, options)
    const { attemptTimeout, idleTimeout, retries, timeout } = settings
    try {
      if (options !== undefined)
        refuseUnknown(options, callNames, () => takenNames(isStream, trace?.isCanceled !== undefined))
      const timeoutMillis = timeout === undefined ? client.timeoutMillis : millisOf(timeout)
      const attemptMillis = attemptTimeout === undefined ? client.attemptMillis : millisOf(attemptTimeout)
      const idleMillis = idleTimeout === undefined ? client.idleMillis : millisOf(idleTimeout)
      const endsAt = clock.currentTimeMillisUnsafe() + timeoutMillis
      let given = input
      const made = (operation: Bound<O>): Effect.Effect<Invocation<O>> => {
        if (trace !== undefined) {
          trace.operation = operation.id
          // The first call was sent, even if this one is aborted before it sends anything.
          if (resumed !== undefined)
            Object.assign(trace, { sent: true, idempotencyKey: resumed.key, memory: resumed.resumed })
        }
        if (trace?.aborted === true) return Effect.interrupt
        return Effect.succeed({
          client,
          source,
          isStream,
          input: given,
          operation,
          settings,
          policy: retries === undefined ? client.policy : { ...client.policy, retries },
          timeoutMillis,
          attemptMillis,
          idleMillis,
          leftMillis: () => Math.max(0, endsAt - clock.currentTimeMillisUnsafe()),
          trace
        })
      }
      const bound = bindOperation(client, source, timeoutMillis)
      const read = source.readInput?.(input, timeoutMillis)
      if (read === undefined) return Effect.flatMap(bound, made)
      if (trace !== undefined) trace.operation = source.id
      return Effect.flatMap(read as Effect.Effect<unknown, InputInvalid | TransportFailed>, (value) => {
        given = value
        return Effect.flatMap(bound, made)
      })
    } catch (error) {
      return Effect.fail(inputInvalid(source.id, (error as Error).message))
    }
  })
