import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Provider } from "oidc-provider"
import * as Approval from "./approval.ts"
import { isCrossOrigin, noFields, readForm, siteAt, stop, Stopped, Visit } from "./Ask.ts"
import type { Answer, Ask, Services } from "./Ask.ts"
import * as Consent from "./consent.ts"
import { paths } from "../endpoints.ts"
import { findInteraction } from "./Interaction.ts"
import { messagePage, messages } from "./messages.ts"
import type { Page } from "./Page.ts"
import * as SignIn from "./signIn.ts"

export interface Needed extends Pick<Ask, "name" | "policy" | "offer"> {
  readonly hasConsole: boolean
  readonly provider: Provider
  readonly services: Context.Context<Services>
  readonly scope: Scope.Scope
}

export interface Asked {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly body: Uint8Array
  /** The client's, for limits. */
  readonly address: string | undefined
}

type Handler = (ask: Ask, part: string) => Answer

interface Route {
  readonly path: RegExp
  readonly GET?: Handler
  readonly POST?: Handler
}

const routesWith = (decide: Handler): ReadonlyArray<Route> => [
  { path: /^\/account\/?$/, GET: SignIn.showAccount },
  { path: /^\/account\/sign-in$/, POST: SignIn.signInToAccount },
  { path: /^\/account\/sign-in\/link$/, POST: SignIn.signInWithLink },
  { path: /^\/account\/sign-in\/([\w-]{43})$/, GET: SignIn.openLink },
  { path: /^\/account\/sign-out$/, POST: SignIn.signOutOfAccount },
  { path: /^\/account\/approvals\/(ap_\w{32})$/, GET: Approval.show, POST: Approval.decide },
  { path: /^\/account\/approvals\/(ap_\w{32})\/sign-in$/, POST: Approval.signIn },
  { path: /^\/account\/approvals\/(ap_\w{32})\/sign-out$/, POST: Approval.signOut },
  { path: /^\/oauth\/interaction\/([\w-]{1,64})$/, GET: Consent.show, POST: decide },
  { path: /^\/oauth\/interaction\/([\w-]{1,64})\/sign-in$/, POST: Consent.signIn },
  { path: /^\/oauth\/interaction\/([\w-]{1,64})\/sign-out$/, POST: Consent.signOut }
]

/** Whether these pages answer this path, below the base URL. */
export const isPage = (path: string): boolean => /^\/(?:account|oauth\/interaction)(?:\/|$)/.test(path)

const send = (res: ServerResponse, { body, headers, status }: Page, isHead: boolean): void => {
  const bytes = Buffer.from(body)
  res.writeHead(status, { ...headers, "content-length": String(bytes.length) }).end(isHead ? undefined : bytes)
}

export const interactions = ({ hasConsole, name, offer, policy, provider, scope, services }: Needed) => {
  const site = siteAt(provider.issuer)
  const grantsPage = hasConsole ? `${site.prefix}${paths.grants}` : undefined
  const routes = routesWith(Consent.makeDecide(services, scope))

  const answer = Effect.fnUntraced(function* ({ address, body, req, res }: Asked) {
    const [path = ""] = (req.url ?? "").split("?", 1)
    const match = routes.flatMap((route) => {
      const found = route.path.exec(path)
      return found === null ? [] : [{ route, part: found[1] ?? "" }]
    })[0]
    if (match === undefined) return yield* stop(messages[404])
    const isPost = req.method === "POST"
    const handler = isPost
      ? match.route.POST
      : req.method === "GET" || req.method === "HEAD"
        ? match.route.GET
        : undefined
    if (handler === undefined) return yield* stop(messages[405])
    const visit = new Visit(site, req.headers)
    if (isPost && isCrossOrigin(site, req.headers)) return yield* stop(messages.foreign)
    const form = isPost ? yield* readForm(req.headers["content-type"], body) : noFields
    if (isPost && !visit.isToken(path, form.get("token"))) return yield* stop(messages.stale)
    const interaction: Ask["interaction"] = (uid) =>
      Effect.flatMap(
        Effect.promise(() => findInteraction(provider, req, res, uid)),
        (found) => (found === undefined ? stop(messages.expired) : Effect.succeed(found))
      )
    const requestId = String(res.getHeader("x-request-id"))
    const ask = { name, site, visit, form, address, requestId, policy, offer, grantsPage, interaction }
    return yield* handler(ask, match.part)
  })

  const answerAnyway = (asked: Asked) =>
    Effect.catchCause(answer(asked), (cause) => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (error instanceof Stopped) return Effect.succeed(messagePage(name, error.message))
      const message = error === undefined ? messages.failed : messages.unavailable
      return Effect.as(Effect.logError("a page could not be shown", cause), messagePage(name, message))
    })

  return async (asked: Asked): Promise<void> =>
    send(asked.res, await Effect.runPromiseWith(services)(answerAnyway(asked)), asked.req.method === "HEAD")
}
