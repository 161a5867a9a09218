import { Carrier, type Incoming, type NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agent, Dispatcher } from "undici"
import { makeAgent, type Options } from "./carrier/agent.ts"
import { Carriage } from "./carrier/carriage.ts"

export type { Options }

/** A carrier over undici. `agentFor` picks the connections that a request goes out on. */
export const make = (agentFor: (outgoing: Outgoing) => Agent): Carrier["Service"] => ({
  carry: (outgoing) =>
    Effect.callback<Incoming, NotCarried>((resume) => {
      const carriage = new Carriage(outgoing, resume)
      agentFor(outgoing).dispatch(
        {
          origin: outgoing.origin,
          path: outgoing.path,
          method: outgoing.method as Dispatcher.HttpMethod,
          headers: outgoing.headers,
          body: outgoing.body ?? null
        },
        carriage
      )
      return Effect.sync(carriage.abort)
    })
})

/** An agent whose connections close with the scope. */
export const scopedAgent = (make: () => Agent) =>
  Effect.acquireRelease(Effect.sync(make), (agent) => Effect.promise(() => agent.destroy()))

/** To one gateway over undici. Redirects are returned like any other answer; nothing is retried. */
export const layer = (options: Options = {}): Layer.Layer<Carrier> =>
  Layer.effect(
    Carrier,
    Effect.map(
      scopedAgent(() => makeAgent(options)),
      (agent) => make(() => agent)
    )
  )
