import { Host } from "../Host.ts"
import { TestGateway } from "../TestGateway.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ClientName, clients } from "./clients.ts"
import { type Learned, learned } from "./learned.ts"
import { relay, type Turn } from "./relay.ts"
import type { Ask, Way } from "./way.ts"
import { calls, priced } from "../models.ts"

export interface Fault {
  readonly name: string
  readonly ask: Ask
  readonly turn: Turn
  /** How long an attempt may take; only where the fault is that it takes for ever. */
  readonly limitMillis?: number
}

/** What one call came to. */
export interface Result {
  /** Requests that the client sent. */
  readonly sent: number
  /** Times that the upstream did the work and wrote a bill. */
  readonly billed: number
  /** Times that the gateway charged the caller. */
  readonly charged: number
  readonly learned: Learned
}

export interface Cell {
  readonly fault: string
  readonly client: ClientName
  /** Missing where the client does not speak the protocol. */
  readonly result?: Result
  /** Between the first attempt and the second. */
  readonly waitedMillis?: number
}

/** Longer than any client here has to take; one that is not done by then is written down as waiting. */
const patienceMillis = 9_000

const after = (millis: number): Promise<Learned> =>
  new Promise((resolve) => setTimeout(resolve, millis, learned(`nothing within ${millis / 1000} s`)).unref())

/** Who leaves does not wait for the gateway to be done with the call. */
const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("10 millis")
  }
}).pipe(Effect.timeout("10 seconds"), Effect.orDie)

/** Then the connections are closed, also of a client that waits. */
const asked = (way: Way, turn: Turn, limitMillis: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { attempts, baseUrl } = yield* relay((yield* Host).baseUrl, turn)
      const learned = yield* Effect.promise(() => Promise.race([way(baseUrl, limitMillis), after(patienceMillis)]))
      return { attempts: [...attempts], learned }
    })
  )

/** One client against one fault, with a gateway and an upstream of its own. */
export const cell = ({ ask, limitMillis = 30_000, name: fault, turn }: Fault, client: ClientName) =>
  Effect.gen(function* () {
    const way = clients[client][ask]
    if (way === undefined) return { fault, client } satisfies Cell as Cell
    const { attempts, learned } = yield* asked(way, turn, limitMillis)
    const charged = (yield* ended).filter((call) => Number(call.charged) > 0).length
    const billed = yield* (yield* TestGateway).billingLog.count
    const [first, second] = attempts
    const cell: Cell = {
      fault,
      client,
      result: { sent: attempts.length, billed, charged, learned },
      ...(first === undefined || second === undefined ? {} : { waitedMillis: second - first })
    }
    return cell
  }).pipe(
    Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" }))))
  )
