import { Carrier, type Incoming, type NotCarried } from "@tollgate/gateway/upstream/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agent, Dispatcher } from "undici"
import { Carriage } from "./internal/carriage.ts"
import { makeAgent, type Options } from "./HttpClient.ts"

const over = (agent: Agent): Carrier["Service"] => ({
  carry: (outgoing) =>
    Effect.callback<Incoming, NotCarried>((resume) => {
      const carriage = new Carriage(outgoing, resume)
      agent.dispatch(
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

/** To upstreams over undici. Redirects are answers like any other; nothing is retried. */
export const layer = (options: Options = {}): Layer.Layer<Carrier> =>
  Layer.effect(
    Carrier,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => makeAgent(options)),
        (agent) => Effect.promise(() => agent.destroy())
      ),
      over
    )
  )
