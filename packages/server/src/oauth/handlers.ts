import type { Accounts, Approvals, Grants, SignIn } from "@tollgate/gateway"
import { describeDefect } from "@tollgate/gateway/driver"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { oauthError } from "./endpoints.ts"
import { type Asked, interactions, isPage } from "./pages/routes.ts"
import { makeProvider, type Needed } from "./Provider.ts"

type Handler = (asked: Asked) => Promise<void>

/** An error's message may quote what was sent, so it is left out. */
const log = (message: string, error: unknown) => Effect.logError(message, { defect: describeDefect(error) })

const load = Effect.fnUntraced(function* (
  needed: Needed,
  services: Context.Context<Accounts | Approvals | Grants | SignIn>
) {
  const provider = yield* makeProvider(needed)
  provider.on("server_error", (_, error) => void needed.run(log("authorization server failed", error)))
  // Koa would print errors itself.
  provider.silent = true
  const callback = provider.callback()
  const interact = interactions({ ...needed, provider, services })
  const serve: Handler = async ({ address, req, res }) => {
    needed.secrets.cameFrom(req, address)
    await callback(req, res)
  }
  return (path: string): Handler => (isPage(path) ? interact : serve)
})

/** Answers a request by the authorization server or its pages, which the first request makes. */
export const handlers = (needed: Needed, services: Context.Context<Accounts | Approvals | Grants | SignIn>) => {
  let loaded: Promise<(path: string) => Handler> | undefined

  const handlerFor = (path: string) =>
    Effect.tryPromise({ try: () => (loaded ??= needed.run(load(needed, services))), catch: (error) => error }).pipe(
      Effect.map((handlerOf) => handlerOf(path)),
      Effect.catch((error) => {
        loaded = undefined
        const refusal = oauthError(503, "temporarily_unavailable", "the authorization server cannot be started")
        return Effect.andThen(log("authorization server not started", error), Effect.fail(refusal))
      })
    )

  return (path: string, asked: Asked) =>
    Effect.flatMap(handlerFor(path), (handler) =>
      Effect.catch(Effect.tryPromise({ try: () => handler(asked), catch: (error) => error }), (error) => {
        const refusal = oauthError(500, "server_error", "the authorization server failed")
        return Effect.andThen(log("authorization server failed", error), Effect.fail(refusal))
      })
    )
}
