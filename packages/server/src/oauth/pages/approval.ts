import { Approvals, Grants, type NotSignedIn } from "@tollgate/gateway"
import { isApprovalOver } from "@tollgate/gateway/driver"
import type { Account } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { paths as accountPaths } from "./account.ts"
import { approvalPage } from "./approvalPage.ts"
import { approvalsPage } from "./approvalsPage.ts"
import { type Answer, type Ask, stop } from "./Ask.ts"
import { nameOf } from "./client.ts"
import { messages } from "./messages.ts"
import { page, redirect } from "./Page.ts"
import * as Session from "./session.ts"
import { signInPage } from "./signInPage.ts"

/** Where a person approves one call. */
export const approvalPath = (id: string): string => `${accountPaths.approvals}/${id}`

const paths = (id: string) => ({
  here: approvalPath(id),
  signIn: `${approvalPath(id)}/sign-in`,
  signOut: `${approvalPath(id)}/sign-out`
})

const showSignIn = ({ name, site, visit }: Ask, id: string, failed?: NotSignedIn) => {
  const failure = failed && Session.failure(failed)
  const { here, signIn } = paths(id)
  const view = {
    name,
    form: visit.form(signIn),
    here: `${site.prefix}${here}`,
    purpose: "Then decide on a call that an app wants to make.",
    error: failure?.text
  }
  return page(failure?.status ?? 200, signInPage(view), { headers: { ...visit.headers, ...failure?.headers } })
}

export const signIn = (ask: Ask, id: string): Answer =>
  Session.withKey(ask).pipe(
    Effect.flatMap((session) => Session.begin(ask, session, paths(id).here)),
    Effect.catchTag("NotSignedIn", (failed) => Effect.succeed(showSignIn(ask, id, failed)))
  )

export const signOut = (ask: Ask, id: string): Answer => Session.end(ask, paths(id).here)

/** What is asked, of this account. That of another account is not there. */
const find = Effect.fnUntraced(function* (id: string, account: Account) {
  const approval = yield* (yield* Approvals).find(id)
  const found = Option.getOrUndefined(approval)
  const grant = found && Option.getOrUndefined(yield* (yield* Grants).find(found.grant))
  if (found === undefined || grant === undefined || found.account !== account.id) return yield* stop(messages[404])
  return { approval: found, grant }
})

export const show = (ask: Ask, id: string): Answer =>
  Effect.gen(function* () {
    const account = yield* Session.signedInAccount(ask)
    if (account === undefined) return showSignIn(ask, id)
    const { approval, grant } = yield* find(id, account)
    const { here, signOut } = paths(id)
    const view = {
      name: ask.name,
      signedIn: Session.shownAccount(ask, account, signOut),
      client: nameOf(grant.client),
      approval,
      grant,
      isOver: approval.endsAt <= (yield* Clock.currentTimeMillis),
      form: ask.visit.form(here),
      all: `${ask.site.prefix}${accountPaths.approvals}`
    }
    return page(200, approvalPage(view), { headers: ask.visit.headers })
  })

/** The first decision counts: another tab, or a double click, is shown what was decided. */
export const decide = (ask: Ask, id: string): Answer =>
  Effect.gen(function* () {
    const account = yield* Session.signedInAccount(ask)
    const isFromList = ask.form.get("from") === "list"
    const here = redirect(`${ask.site.prefix}${isFromList ? accountPaths.approvals : paths(id).here}`)
    if (account === undefined) return here
    const decision = ask.form.get("decision")
    if (decision !== "yes" && decision !== "no") return yield* stop(messages[400])
    yield* find(id, account)
    yield* (yield* Approvals).decide(id, decision)
    return here
  })

/** The calls that wait, and those that were decided. */
export const list = (ask: Ask): Answer =>
  Effect.gen(function* () {
    const { name, site, visit } = ask
    const account = yield* Session.signedInAccount(ask)
    if (account === undefined) return redirect(`${site.prefix}${accountPaths.signIn}`)
    const now = yield* Clock.currentTimeMillis
    const grants = new Map((yield* (yield* Grants).list(account.id)).map((grant) => [grant.id, grant]))
    const view = {
      name,
      signedIn: Session.shownAccount(ask, account, accountPaths.signOut),
      grantsPage: `${site.prefix}${accountPaths.grants}`,
      approvals: (yield* (yield* Approvals).list(account.id)).map((approval) => {
        const grant = grants.get(approval.grant)
        return {
          approval,
          client: grant === undefined ? "" : nameOf(grant.client),
          form: visit.form(approvalPath(approval.id)),
          isOver: isApprovalOver(approval, grant, now)
        }
      })
    }
    return page(200, approvalsPage(view), { headers: visit.headers })
  })
