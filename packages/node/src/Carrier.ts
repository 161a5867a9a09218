import { Carrier, type Incoming, type NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Dispatcher } from "undici"
import type { Options } from "./carrier/agent.ts"
import { DispatchHandler } from "./carrier/dispatchHandler.ts"

export type { Options }

export interface ProxyOptions {
  /** The address of a proxy for all requests, instead of those of the environment. */
  readonly proxy?: string | undefined
}

/** A carrier over undici. `agentFor` picks the connection pool for a request. */
export const make = (agentFor: (outgoing: Outgoing) => Dispatcher): Carrier["Service"] => ({
  carry: (outgoing) =>
    Effect.callback<Incoming, NotCarried>((resume) => {
      const handler = new DispatchHandler(outgoing, resume)
      agentFor(outgoing).dispatch(
        {
          origin: outgoing.origin,
          path: outgoing.path,
          method: outgoing.method as Dispatcher.HttpMethod,
          headers: outgoing.headers,
          body: outgoing.body ?? null
        },
        handler
      )
      return Effect.sync(handler.abort)
    })
})

/** Closes the agent and its connections with the scope. */
export const scopedAgent = <A extends Dispatcher>(make: () => A) =>
  Effect.acquireRelease(Effect.sync(make), (agent) => Effect.promise(() => agent.destroy()))

/**
 * A carrier over undici, for one gateway, through the environment's proxies. Follows no redirects and retries nothing. undici is
 * loaded with the first client, not with the program.
 */
export const layer = ({ proxy, ...options }: Options & ProxyOptions = {}): Layer.Layer<Carrier> =>
  Layer.effect(
    Carrier,
    Effect.gen(function* () {
      const { makeProxied } = yield* Effect.promise(() => import("./carrier/agent.ts"))
      const agent = yield* scopedAgent(() => makeProxied(options, proxy))
      return make(() => agent)
    })
  )
