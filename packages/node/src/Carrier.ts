import { Carrier, type Incoming, type NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LookupFunction } from "node:net"
import type { Agent, Dispatcher } from "undici"
import { makeAgent, type Options as AgentOptions } from "./internal/agent.ts"
import { Carriage } from "./internal/carriage.ts"
import { publicAgent } from "./internal/publicAgent.ts"

export interface Options extends AgentOptions {
  /** How names become addresses, where only public ones are allowed. Default: as the system does. */
  readonly lookup?: LookupFunction | undefined
}

const scoped = (make: () => Agent) =>
  Effect.acquireRelease(Effect.sync(make), (agent) => Effect.promise(() => agent.destroy()))

/** To upstreams over undici. Redirects are answers like any other; nothing is retried. */
export const layer = ({ lookup, ...options }: Options = {}): Layer.Layer<Carrier> =>
  Layer.effect(
    Carrier,
    Effect.gen(function* () {
      const anywhere = yield* scoped(() => makeAgent(options))
      const inPublic = yield* scoped(() => publicAgent(options, lookup))
      return {
        carry: (outgoing) =>
          Effect.callback<Incoming, NotCarried>((resume) => {
            const carriage = new Carriage(outgoing, resume)
            ;(outgoing.private === true ? anywhere : inPublic).dispatch(
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
      }
    })
  )
