import * as Context from "effect/Context"
import * as Latch from "effect/Latch"
import type * as Redacted from "effect/Redacted"
import type { Watch } from "../ledger/LedgerEvent.ts"
import type { EventType } from "./Event.ts"

/** Where an operator wants to be told. */
export interface Endpoint {
  /** Stands for the address in the store, because an address can contain a credential. */
  readonly id: string
  readonly url: string
  /** Whether the address may be private. */
  readonly private: boolean
  /** Each signs, so that a receiver can change from one to the other. Programs that only write the outbox have none. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<Uint8Array>>
  readonly events: ReadonlyArray<EventType>
  /** In micro-USD. Without it the endpoint is told of no balance. */
  readonly balanceBelow?: bigint | undefined
}

const watchOf = (endpoints: ReadonlyArray<Endpoint>): Watch | undefined => {
  const wants = (type: EventType) => endpoints.some(({ events }) => events.includes(type))
  const balancesBelow = endpoints.flatMap(({ balanceBelow, events }) =>
    balanceBelow === undefined || !events.includes("balance.low") ? [] : [balanceBelow]
  )
  const watch = {
    balancesBelow: [...new Set(balancesBelow)],
    budgets: wants("budget.reached"),
    unknownCalls: wants("call.unknown")
  }
  return balancesBelow.length > 0 || watch.budgets || watch.unknownCalls ? watch : undefined
}

/** The endpoints in force. A configuration reload replaces them. */
export class Endpoints {
  #all: ReadonlyArray<Endpoint> = []
  #watch: Watch | undefined
  readonly #some = Latch.makeUnsafe(false)

  constructor(endpoints: ReadonlyArray<Endpoint> = []) {
    this.set(endpoints)
  }

  set(endpoints: ReadonlyArray<Endpoint>): void {
    this.#all = endpoints
    this.#watch = watchOf(endpoints)
    if (endpoints.length > 0) this.#some.openUnsafe()
    else this.#some.closeUnsafe()
  }

  get all(): ReadonlyArray<Endpoint> {
    return this.#all
  }

  get(id: string): Endpoint | undefined {
    return this.#all.find((endpoint) => endpoint.id === id)
  }

  /** What the ledger looks for. `undefined`: nothing. */
  get watch(): Watch | undefined {
    return this.#watch
  }

  wants(type: EventType): boolean {
    return this.#all.some(({ events }) => events.includes(type))
  }

  /** Waits until there is an endpoint. */
  readonly awaitSome = this.#some.await
}

/** By default there are none, and nothing is written or sent. */
export const Webhooks = Context.Reference<Endpoints>("@tollgate/ledger/Webhooks", {
  defaultValue: () => new Endpoints()
})
