import { micro } from "@tollgate/contract/Money"
import { Grants, type NotSignedIn } from "@tollgate/gateway"
import { isScope } from "@tollgate/gateway/driver"
import type { Account, GrantTerms } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { accessOf } from "./access.ts"
import * as AccountPages from "./account.ts"
import { type Answer, type Ask, stop } from "./Ask.ts"
import { destinationOf, nameOf } from "./client.ts"
import { consentPage, type ConsentView } from "./consentPage.ts"
import { messages } from "./messages.ts"
import { page, redirect } from "./Page.ts"
import { canSpend } from "./scopes.ts"
import * as Session from "./session.ts"
import { signInPage } from "./signInPage.ts"
import { enteredOf, mostWords, proposedTerms, type ReadTerms, readTerms, renewedTerms } from "./terms.ts"

/** Decisions that are being made, one at a time for each request for access. */
class Decisions<A, E> {
  readonly #running = new Map<string, Deferred.Deferred<A, E>>()

  /** Makes the decision, or waits for the result of the one that is being made. */
  join<R>(uid: string, decide: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const running = this.#running.get(uid)
      if (running !== undefined) return Deferred.await(running)
      const result = Deferred.makeUnsafe<A, E>()
      this.#running.set(uid, result)
      return Effect.onExit(decide, (exit) => {
        this.#running.delete(uid)
        return Deferred.done(result, exit)
      })
    })
  }
}

const prefix = "/oauth/interaction/"

export const paths = (uid: string) => ({
  here: `${prefix}${uid}`,
  signIn: `${prefix}${uid}/sign-in`,
  signOut: `${prefix}${uid}/sign-out`
})

const nothing = micro(0n)

const open = Effect.fnUntraced(function* (ask: Ask, uid: string) {
  const interaction = yield* ask.interaction(uid)
  const { client } = interaction
  if (client === undefined) return yield* stop(messages.unknownClient)
  return { ...interaction, client }
})

type Open = Effect.Success<ReturnType<typeof open>>

const showSignIn = ({ name, site, visit }: Ask, uid: string, { client, redirectUri }: Open, failed?: NotSignedIn) => {
  const failure = failed && Session.failure(failed)
  const { here, signIn } = paths(uid)
  const view = {
    name,
    client: { name: nameOf(client), destination: destinationOf(redirectUri).shown, deny: visit.form(here) },
    form: visit.form(signIn),
    error: failure?.text,
    here: `${site.prefix}${here}`
  }
  const headers = { ...visit.headers, ...failure?.headers }
  return page(failure?.status ?? 200, signInPage(view), { headers, redirectUri })
}

/** Shows what the person entered, or else what is proposed. */
const showConsent = Effect.fnUntraced(function* (
  ask: Ask,
  uid: string,
  interaction: Open,
  account: Account,
  chosen?: ReadTerms
) {
  const { here, signOut } = paths(uid)
  const { client, expiresAt, redirectUri, scopes } = interaction
  const { offer, policy } = ask
  const now = yield* Clock.currentTimeMillis
  const access = yield* accessOf(account.id, client)
  const spends = canSpend(scopes)
  const proposed = access === undefined ? proposedTerms(policy, now) : renewedTerms(policy, access, now)
  const { entered, errors, terms } = chosen ?? {
    entered: enteredOf(proposed, String(policy.proposed.days)),
    errors: {},
    terms: proposed
  }
  const view: ConsentView = {
    name: ask.name,
    signedIn: Session.shownAccount(ask, account, signOut),
    client,
    redirectUri,
    scopes,
    access,
    terms: spends ? { entered, errors, policy, offer: offer?.(), account } : undefined,
    most: terms && mostWords(terms, access?.spent ?? 0n, account.balance, now),
    expiresAt,
    form: ask.visit.form(here),
    grantsPath: `${ask.site.prefix}${AccountPages.paths.grants}`
  }
  return page(terms === undefined ? 400 : 200, consentPage(view), { headers: ask.visit.headers, redirectUri })
})

/** The page of a request for access: the sign-in, and after it the decision. */
export const show = (ask: Ask, uid: string): Answer =>
  Effect.gen(function* () {
    const interaction = yield* open(ask, uid)
    if (interaction.decided !== undefined) return redirect(interaction.decided)
    const account = yield* Session.signedInAccount(ask)
    return account === undefined
      ? showSignIn(ask, uid, interaction)
      : yield* showConsent(ask, uid, interaction, account)
  })

export const signIn = (ask: Ask, uid: string): Answer =>
  Effect.gen(function* () {
    const interaction = yield* open(ask, uid)
    return yield* Session.withKey(ask).pipe(
      Effect.flatMap((session) => Session.begin(ask, session, paths(uid).here)),
      Effect.catchTag("NotSignedIn", (failed) => Effect.succeed(showSignIn(ask, uid, interaction, failed)))
    )
  })

export const signOut = (ask: Ask, uid: string): Answer => Session.end(ask, paths(uid).here)

type Given = Pick<GrantTerms, "limit" | "endsAt"> & Partial<GrantTerms>

const grant = Effect.fnUntraced(function* (interaction: Open, account: Account, terms: Given) {
  const { client, redirectUri, scopes } = interaction
  const { id } = yield* (yield* Grants).give({
    account: account.id,
    client: { id: client.id, name: nameOf(client) },
    scopes: scopes.filter(isScope),
    returnsTo: destinationOf(redirectUri).shown,
    ...terms
  })
  return yield* Effect.promise(() => interaction.approve(account.id, id))
})

/** A double click sends the decision twice: both get the answer of the first. */
export const makeDecide = () => {
  const decisions = new Decisions<Effect.Success<Answer>, Effect.Error<Answer>>()

  const decideOnce = (ask: Ask, uid: string): Answer =>
    Effect.gen(function* () {
      const interaction = yield* open(ask, uid)
      if (interaction.decided !== undefined) return redirect(interaction.decided)
      const decision = ask.form.get("decision")
      if (decision === "deny") return redirect(yield* Effect.promise(interaction.deny))
      if (decision !== "approve" && decision !== "show") return yield* stop(messages[400])
      const account = yield* Session.signedInAccount(ask)
      if (account === undefined) return redirect(`${ask.site.prefix}${paths(uid).here}`)
      const { offer, policy } = ask
      const now = yield* Clock.currentTimeMillis
      if (!canSpend(interaction.scopes)) {
        const { endsAt } = proposedTerms(policy, now)
        return redirect(yield* grant(interaction, account, { limit: nothing, endsAt }))
      }
      const chosen = readTerms(ask.form, { policy, offer: offer?.(), now })
      return decision === "show" || chosen.terms === undefined
        ? yield* showConsent(ask, uid, interaction, account, chosen)
        : redirect(yield* grant(interaction, account, chosen.terms))
    })

  // Whether this browser began the request is checked before it may wait for another's decision.
  return (ask: Ask, uid: string): Answer => Effect.andThen(open(ask, uid), decisions.join(uid, decideOnce(ask, uid)))
}
