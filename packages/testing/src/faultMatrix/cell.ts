import { Host } from "../Host.ts"
import { TestGateway } from "../TestGateway.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { setTimeout } from "node:timers/promises"
import { type ClientName, clients } from "./clients.ts"
import { callerResult, type CallerResult } from "./CallerResult.ts"
import { relay, type FaultInjection } from "./relay.ts"
import type { CallKind, ClientCall } from "./ClientCalls.ts"
import { calls, priced } from "../models.ts"

export interface Fault {
  readonly name: string
  readonly call: CallKind
  readonly inject: FaultInjection
  /** The timeout of an attempt, for faults that stall. The Tollgate client has it for the whole call. */
  readonly limitMillis?: number
}

/** The result of one call. */
export interface Result {
  /** The number of requests that the client sent. */
  readonly sent: number
  /** How often the upstream billed the call. */
  readonly billed: number
  /** How often the gateway charged the caller. */
  readonly charged: number
  readonly caller: CallerResult
}

export interface Cell {
  readonly fault: string
  readonly client: ClientName
  /** Missing if the client does not support the protocol. */
  readonly result?: Result
  /** The time between the first two attempts. */
  readonly waitedMillis?: number
}

/** Clients of others may wait without end. One that takes longer than this after its first request is recorded as waiting. */
const maxMillis = 9_000

const stillWaiting = async (attempts: ReadonlyArray<number>): Promise<CallerResult> => {
  const hasWaited = () => attempts[0] !== undefined && performance.now() - attempts[0] > maxMillis
  while (!hasWaited()) await setTimeout(100, undefined, { ref: false })
  return callerResult(`nothing within ${maxMillis / 1000} s`)
}

/** Waits until the gateway has ended all calls: a client may leave earlier. */
const endedCalls = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("10 millis")
  }
})

/** Closes the connections at the end, even if the client still waits. The Tollgate client ends by itself, however busy the machine. */
const callThroughRelay = (client: ClientName, call: ClientCall, inject: FaultInjection, limitMillis: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { attempts, baseUrl } = yield* relay((yield* Host).baseUrl, inject)
      const called = (): Promise<CallerResult> => call(baseUrl, limitMillis)
      const caller = yield* Effect.promise(() =>
        client === "tollgate" ? called() : Promise.race([called(), stillWaiting(attempts)])
      )
      return { attempts: [...attempts], caller }
    })
  )

/** Runs one client against one fault, with its own gateway and upstream. */
export const cell = ({ call: kind, inject, limitMillis = 30_000, name: fault }: Fault, client: ClientName) =>
  Effect.gen(function* () {
    const call = clients[client][kind]
    if (call === undefined) return { fault, client } satisfies Cell as Cell
    const { attempts, caller } = yield* callThroughRelay(client, call, inject, limitMillis)
    const charged = (yield* endedCalls).filter((call) => Number(call.charged) > 0).length
    const billed = yield* (yield* TestGateway).billingLog.count
    const [first, second] = attempts
    const cell: Cell = {
      fault,
      client,
      result: { sent: attempts.length, billed, charged, caller },
      ...(first === undefined || second === undefined ? {} : { waitedMillis: second - first })
    }
    return cell
  }).pipe(
    Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" }))))
  )
