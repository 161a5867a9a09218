import { Client, type HookRequest, type HookResponse } from "@tollgate/client"
import { observe, type Ended, type Failed } from "@tollgate/client/observe"
import type { Names } from "@tollgate/contract/Names"
import { bind, type Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Context from "effect/Context"

/** Gets what the client does during one run, as it does it. */
export interface RunLog {
  readonly sent: (request: HookRequest) => void
  readonly answered: (response: HookResponse) => void
  readonly attempted: (failed: Failed | undefined) => void
  readonly ended: (ended: Ended) => void
}

/** Set for the effects of a run, so that the hooks of the client, which all runs share, know whose request it is. */
export const RunLog = Context.Reference<RunLog | undefined>("console/RunLog", { defaultValue: () => undefined })

const tell = (about: (log: RunLog) => void): Effect.Effect<void> =>
  Effect.map(RunLog, (log) => {
    if (log !== undefined) about(log)
  })

const observer = observe(() =>
  Effect.map(RunLog, (log) =>
    log === undefined ? {} : { attempted: (_: number, failed) => log.attempted(failed), ended: log.ended }
  )
)

/**
 * The session's client, with the operator's names, and the paths that the operator bound read from the gateway's contract. Its
 * hooks tell each run what the client does.
 */
export const playgroundClient = (session: Layer.Layer<Client>, names: Names): Layer.Layer<Client> =>
  Layer.effect(
    Client,
    Effect.map(Client, (client) =>
      Client.of({
        ...client,
        names,
        discover: true,
        bound: <O extends Operation>(operation: O) => bind(operation, names),
        beforeRequest: (request) => tell((log) => log.sent(request)),
        afterResponse: (response) => tell((log) => log.answered(response))
      })
    )
  ).pipe(Layer.provide(session), Layer.merge(observer))
