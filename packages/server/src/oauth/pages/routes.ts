import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Provider } from "oidc-provider"
import * as Account from "./account.ts"
import * as Approval from "./approval.ts"
import { type Answer, type Ask, type Services, stop, Stopped } from "./Ask.ts"
import * as Consent from "./consent.ts"
import { findInteraction } from "./Interaction.ts"
import { messagePage, messages } from "./messages.ts"
import { type Page, page, redirect } from "./Page.ts"
import { type Form, InvalidForm, readForm } from "./readForm.ts"
import { isForeign, siteAt, Visit } from "./Visit.ts"

export interface Needed {
  readonly provider: Provider
  readonly services: Context.Context<Services>
  /** What the gateway is called. */
  readonly name: string
  readonly policy: Ask["policy"]
  readonly offer: Ask["offer"]
}

type Handler = (ask: Ask, part: string) => Answer

interface Route {
  readonly path: RegExp
  readonly GET?: Handler
  readonly POST?: Handler
}

const routesWith = (decide: Handler): ReadonlyArray<Route> => [
  { path: /^\/account\/?$/, GET: ({ site }) => Effect.succeed(redirect(`${site.prefix}${Account.paths.grants}`)) },
  { path: /^\/account\/sign-in$/, GET: Account.signIn, POST: Account.signInWithKey },
  { path: /^\/account\/sign-in\/link$/, POST: Account.signInWithLink },
  { path: /^\/account\/sign-in\/([\w-]{43})$/, GET: Account.openLink },
  { path: /^\/account\/sign-out$/, POST: Account.signOut },
  { path: /^\/account\/grants$/, GET: Account.grants, POST: Account.takeBack },
  { path: /^\/account\/approvals$/, GET: Approval.list },
  { path: /^\/account\/approvals\/(ap_\w{32})$/, GET: Approval.show, POST: Approval.decide },
  { path: /^\/account\/approvals\/(ap_\w{32})\/sign-in$/, POST: Approval.signIn },
  { path: /^\/account\/approvals\/(ap_\w{32})\/sign-out$/, POST: Approval.signOut },
  { path: /^\/account\/grants\/change$/, POST: Account.change },
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

/** The pages on which people sign in, decide what apps may do, and revoke it. */
export const interactions = ({ name, offer, policy, provider, services }: Needed) => {
  const site = siteAt(provider.issuer)
  const routes = routesWith(Consent.makeDecide())

  const formOf = (req: IncomingMessage): Effect.Effect<Form, Stopped> =>
    Effect.tryPromise({
      try: () => readForm(req),
      catch: (error) => new Stopped({ message: messages[error instanceof InvalidForm ? error.status : 400] })
    })

  const answer = Effect.fnUntraced(function* (req: IncomingMessage, res: ServerResponse, address: string | undefined) {
    const [path = "", query = ""] = (req.url ?? "").split("?", 2)
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
    if (isPost && isForeign(site, req.headers)) return yield* stop(messages.foreign)
    const form: Form = isPost ? yield* formOf(req) : new Map()
    if (isPost && !visit.isToken(path, form.get("token"))) return yield* stop(messages.stale)
    const interaction: Ask["interaction"] = (uid) =>
      Effect.flatMap(
        Effect.promise(() => findInteraction(provider, req, res, uid)),
        (found) => (found === undefined ? stop(messages.expired) : Effect.succeed(found))
      )
    return yield* handler({ name, site, visit, form, query, address, policy, offer, interaction }, match.part)
  })

  const answerAnyway = (...request: Parameters<typeof answer>) =>
    Effect.catchCause(answer(...request), (cause) => {
      const error = Cause.findErrorOption(cause)
      if (error._tag === "Some" && error.value instanceof Stopped) {
        const { message } = error.value
        return Effect.succeed(page(message.status, messagePage(name, message)))
      }
      const message = error._tag === "Some" ? messages.unavailable : messages.failed
      return Effect.as(
        Effect.logError("a page could not be shown", cause),
        page(message.status, messagePage(name, message))
      )
    })

  /** `address`: the client's, for limits. */
  return async (req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void> =>
    send(res, await Effect.runPromiseWith(services)(answerAnyway(req, res, address)), req.method === "HEAD")
}
