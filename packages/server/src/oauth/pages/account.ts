import { Accounts, Approvals, Grants, type NotSignedIn, SignIn } from "@tollgate/gateway"
import { isApprovalOver, isMachineId } from "@tollgate/gateway/driver"
import type { Account } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Answer, type Ask, stop } from "./Ask.ts"
import { grantsPage, type GrantsView } from "./grantsPage.ts"
import { messages } from "./messages.ts"
import { page, redirect } from "./Page.ts"
import { canSpend } from "./scopes.ts"
import * as Session from "./session.ts"
import { linkPage, signInPage } from "./signInPage.ts"
import { readTerms } from "./terms.ts"

export const paths = {
  signIn: "/account/sign-in",
  link: "/account/sign-in/link",
  signOut: "/account/sign-out",
  grants: "/account/grants",
  change: "/account/grants/change",
  approvals: "/account/approvals"
} as const

/** What the query of the list says of the form that led there. */
const doneBy = {
  "taken-back": "Access was revoked.",
  changed: "The change holds from now on."
} as const

const isDone = (query: string): query is keyof typeof doneBy => Object.hasOwn(doneBy, query)

const showSignIn = ({ name, site, visit }: Ask, failed?: NotSignedIn) => {
  const failure = failed && Session.failure(failed)
  const view = { name, form: visit.form(paths.signIn), here: `${site.prefix}${paths.grants}`, error: failure?.text }
  return page(failure?.status ?? 200, signInPage(view), { headers: { ...visit.headers, ...failure?.headers } })
}

export const signIn = (ask: Ask): Answer =>
  Effect.map(Session.signedInAccount(ask), (account) =>
    account === undefined ? showSignIn(ask) : redirect(`${ask.site.prefix}${paths.grants}`)
  )

export const signInWithKey = (ask: Ask): Answer =>
  Session.withKey(ask).pipe(
    Effect.flatMap((session) => Session.begin(ask, session, paths.grants)),
    Effect.catchTag("NotSignedIn", (failed) => Effect.succeed(showSignIn(ask, failed)))
  )

/** Shows what the link is for. Only the form uses it up, so that a program that previews links does not. */
export const openLink = Effect.fnUntraced(function* (
  ask: Ask,
  link: string
): Effect.fn.Return<Effect.Success<Answer>, Effect.Error<Answer>, Effect.Services<Answer>> {
  const account = yield* (yield* SignIn).findLink(link)
  if (Option.isNone(account)) return yield* stop(messages.usedLink)
  const { id, label } = yield* (yield* Accounts).get(account.value)
  const { name, visit } = ask
  return page(200, linkPage({ name, account: { id, label }, form: visit.form(paths.link), link }), {
    headers: visit.headers
  })
})

export const signInWithLink = (ask: Ask): Answer =>
  SignIn.use(({ withLink }) => withLink(ask.form.get("link") ?? "", ask.address)).pipe(
    Effect.flatMap((session) => Session.begin(ask, session, paths.grants)),
    Effect.catchTag("NotSignedIn", (failed) =>
      failed.why === "too many" ? Effect.succeed(showSignIn(ask, failed)) : stop(messages.usedLink)
    )
  )

export const signOut = (ask: Ask): Answer => Session.end(ask, paths.signIn)

const toSignIn = ({ site }: Ask) => redirect(`${site.prefix}${paths.signIn}`)

const showGrants = Effect.fnUntraced(function* (ask: Ask, account: Account, tried?: GrantsView["tried"]) {
  const { name, offer, policy, query, visit } = ask
  const now = yield* Clock.currentTimeMillis
  const asked = yield* (yield* Approvals).list(account.id)
  const grants = yield* (yield* Grants).list(account.id)
  const byId = new Map(grants.map((grant) => [grant.id, grant]))
  const view: GrantsView = {
    name,
    waiting: asked.filter((one) => one.decision === undefined && !isApprovalOver(one, byId.get(one.grant), now)).length,
    approvalsPage: `${ask.site.prefix}${paths.approvals}`,
    signedIn: Session.shownAccount(ask, account, paths.signOut),
    grants,
    done: isDone(query) ? doneBy[query] : undefined,
    form: visit.form(paths.grants),
    change: visit.form(paths.change),
    chooses: { policy, offer: offer?.(), account },
    tried
  }
  return page(tried === undefined ? 200 : 400, grantsPage(view), { headers: visit.headers })
})

export const grants = (ask: Ask): Answer =>
  Effect.flatMap(Session.signedInAccount(ask), (account) =>
    account === undefined ? Effect.succeed(toSignIn(ask)) : showGrants(ask, account)
  )

/** The grant that a form names. One of another account is not there. */
const named = Effect.fnUntraced(function* ({ form }: Ask, account: Account) {
  const grant = yield* (yield* Grants).find(form.get("grant") ?? "")
  return Option.isSome(grant) && grant.value.account === account.id ? grant.value : yield* stop(messages[404])
})

export const takeBack = (ask: Ask): Answer =>
  Effect.gen(function* () {
    const account = yield* Session.signedInAccount(ask)
    if (account === undefined) return toSignIn(ask)
    const { id } = yield* named(ask, account)
    yield* (yield* Grants).revoke(id)
    return redirect(`${ask.site.prefix}${paths.grants}?taken-back`)
  })

export const change = (ask: Ask): Answer =>
  Effect.gen(function* () {
    const account = yield* Session.signedInAccount(ask)
    if (account === undefined) return toSignIn(ask)
    const { client, ended, endsAt, id, scopes } = yield* named(ask, account)
    if (ended || !canSpend(scopes)) return yield* stop(messages.endedGrant)
    const now = yield* Clock.currentTimeMillis
    const isMachine = isMachineId(client.id)
    const read = readTerms(ask.form, { policy: ask.policy, offer: ask.offer?.(), now, endsAt, isMachine })
    if (read.terms === undefined) return yield* showGrants(ask, account, { grant: id, read })
    yield* (yield* Grants).change(id, read.terms)
    return redirect(`${ask.site.prefix}${paths.grants}?changed`)
  })
