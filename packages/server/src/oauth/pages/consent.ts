import { micro } from "@tollgate/contract/Money"
import { Grants } from "@tollgate/gateway"
import { CurrentCause, isScope, singleFlight } from "@tollgate/gateway/driver"
import { html } from "@tollgate/gateway/html"
import type { Account, GrantTerms } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Answer, type Ask, type Services, stop } from "./Ask.ts"
import { canSpend, destinationOf, nameOf } from "./client.ts"
import { consentPage, type ConsentView } from "./consentPage.ts"
import { messages } from "./messages.ts"
import { page, redirect } from "./Page.ts"
import { type Place, shownAccount, showSignIn, signedInAccount, signInTo, signOutOf } from "./signIn.ts"
import { enteredOf, mostWords, proposedTerms, type ReadTerms, readTerms, renewedTerms } from "./terms.ts"

const pathOf = (uid: string): string => `/oauth/interaction/${uid}`

const nothing = micro(0n)

const open = Effect.fnUntraced(function* (ask: Ask, uid: string) {
  const interaction = yield* ask.interaction(uid)
  const { client } = interaction
  if (client === undefined) return yield* stop(messages.unknownClient)
  return { ...interaction, client }
})

type Open = Effect.Success<ReturnType<typeof open>>

const placeOf = ({ visit }: Ask, uid: string, { client, redirectUri }: Open): Place => ({
  path: pathOf(uid),
  purpose: html`Then decide whether <strong><bdi>${nameOf(client)}</bdi></strong> gets access to your account.`,
  client: { redirectUri, destination: destinationOf(redirectUri).shown, deny: visit.form(pathOf(uid)) }
})

const accessOf = (account: string, client: string) =>
  Effect.map(
    Grants.use((grants) => grants.list(account)),
    (all) => all.find((grant) => !grant.ended && grant.client.id === client)
  )

/** Shows what the person entered, or else what is proposed. */
const showConsent = Effect.fnUntraced(function* (
  ask: Ask,
  uid: string,
  interaction: Open,
  account: Account,
  chosen?: ReadTerms
) {
  const { client, expiresAt, redirectUri, scopes } = interaction
  const { offer, policy } = ask
  const now = yield* Clock.currentTimeMillis
  const access = yield* accessOf(account.id, client.id)
  const spends = canSpend(scopes)
  const proposed = access === undefined ? proposedTerms(policy, now) : renewedTerms(policy, access, now)
  const { entered, errors, terms } = chosen ?? {
    entered: enteredOf(proposed, String(policy.proposed.days)),
    errors: {},
    terms: proposed
  }
  const view: ConsentView = {
    name: ask.name,
    signedIn: shownAccount(ask, account, pathOf(uid)),
    client,
    redirectUri,
    scopes,
    access,
    terms: spends ? { entered, errors, policy, offer: offer?.(), account } : undefined,
    most: terms && mostWords(terms, access?.spent ?? 0n, account.balance, now),
    expiresAt,
    form: ask.visit.form(pathOf(uid)),
    grantsPage: ask.grantsPage
  }
  return page(terms === undefined ? 400 : 200, consentPage(view), { headers: ask.visit.headers, redirectUri })
})

export const show = (ask: Ask, uid: string): Answer =>
  Effect.gen(function* () {
    const interaction = yield* open(ask, uid)
    if (interaction.decided !== undefined) return redirect(interaction.decided)
    const account = yield* signedInAccount(ask)
    return account === undefined
      ? showSignIn(ask, placeOf(ask, uid, interaction))
      : yield* showConsent(ask, uid, interaction, account)
  })

export const signIn = (ask: Ask, uid: string): Answer =>
  Effect.flatMap(open(ask, uid), (interaction) => signInTo(ask, placeOf(ask, uid, interaction)))

export const signOut = (ask: Ask, uid: string): Answer => signOutOf(ask, pathOf(uid))

type Given = Pick<GrantTerms, "limit" | "endsAt"> & Partial<GrantTerms>

const grant = Effect.fnUntraced(function* (ask: Ask, interaction: Open, account: Account, terms: Given) {
  const { client, redirectUri, scopes } = interaction
  const given = (yield* Grants).give({
    account: account.id,
    client: { id: client.id, name: nameOf(client) },
    scopes: scopes.filter(isScope),
    returnsTo: destinationOf(redirectUri).shown,
    ...terms
  })
  const { id } = yield* Effect.provideService(given, CurrentCause, {
    who: `console of ${account.id}`,
    address: ask.address ?? null,
    request: ask.requestId
  })
  return yield* Effect.promise(() => interaction.approve(account.id, id))
})

const decideNow = (ask: Ask, uid: string): Answer =>
  Effect.gen(function* () {
    const interaction = yield* open(ask, uid)
    if (interaction.decided !== undefined) return redirect(interaction.decided)
    const decision = ask.form.get("decision")
    if (decision === "deny") return redirect(yield* Effect.promise(interaction.deny))
    if (decision !== "approve" && decision !== "show") return yield* stop(messages[400])
    const account = yield* signedInAccount(ask)
    if (account === undefined) return redirect(`${ask.site.prefix}${pathOf(uid)}`)
    const { offer, policy } = ask
    const now = yield* Clock.currentTimeMillis
    if (!canSpend(interaction.scopes)) {
      const { endsAt } = proposedTerms(policy, now)
      return redirect(yield* grant(ask, interaction, account, { limit: nothing, endsAt }))
    }
    const chosen = readTerms(ask.form, { policy, offer: offer?.(), now })
    return decision === "show" || chosen.terms === undefined
      ? yield* showConsent(ask, uid, interaction, account, chosen)
      : redirect(yield* grant(ask, interaction, account, chosen.terms))
  })

/** A double click sends the decision twice: both get the answer of the first. */
export const makeDecide = (services: Context.Context<Services>, scope: Scope.Scope) => {
  const oneAtATime = singleFlight<Effect.Success<Answer>, Effect.Error<Answer>>(scope)
  // Whether this browser began the request is checked before it may wait for another's decision.
  return (ask: Ask, uid: string): Answer =>
    Effect.andThen(open(ask, uid), oneAtATime(uid, Effect.provideContext(decideNow(ask, uid), services)))
}
