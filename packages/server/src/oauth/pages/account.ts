import { Accounts, Grants, type NotSignedIn, SignIn } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Answer, type Ask, stop } from "./Ask.ts"
import { grantsPage } from "./grantsPage.ts"
import { messages } from "./messages.ts"
import { page, redirect } from "./Page.ts"
import * as Session from "./session.ts"
import { linkPage, signInPage } from "./signInPage.ts"

export const paths = {
  signIn: "/account/sign-in",
  link: "/account/sign-in/link",
  signOut: "/account/sign-out",
  grants: "/account/grants"
} as const

const takenBack = "taken-back"

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

export const grants = (ask: Ask): Answer =>
  Effect.gen(function* () {
    const account = yield* Session.signedInAccount(ask)
    if (account === undefined) return toSignIn(ask)
    const { name, query, visit } = ask
    const view = {
      name,
      signedIn: Session.shownAccount(ask, account, paths.signOut),
      grants: yield* (yield* Grants).list(account.id),
      takenBack: query === takenBack,
      form: visit.form(paths.grants)
    }
    return page(200, grantsPage(view), { headers: visit.headers })
  })

export const takeBack = (ask: Ask): Answer =>
  Effect.gen(function* () {
    const account = yield* Session.signedInAccount(ask)
    if (account === undefined) return toSignIn(ask)
    const grants = yield* Grants
    const grant = yield* grants.find(ask.form.get("grant") ?? "")
    // A grant of another account is not there.
    if (Option.isNone(grant) || grant.value.account !== account.id) return yield* stop(messages[404])
    yield* grants.revoke(grant.value.id)
    return redirect(`${ask.site.prefix}${paths.grants}?${takenBack}`)
  })
