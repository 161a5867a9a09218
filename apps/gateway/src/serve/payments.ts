import { events, makePretend, Payments, pretendPages, type EndpointGroup, BaseUrl } from "@tollgate/gateway"
import { StripePayments } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { defaultAmounts } from "../config/sections/payments.ts"
import type { Settings } from "../settings/Settings.ts"
import { isPersonal } from "./endpointGroups.ts"

/** Who takes cards. A gateway that is reached from its own machine alone has cards that are not real, while nothing else is reached. */
const cardsOf = Effect.fnUntraced(function* (settings: Settings, onlySandbox: () => boolean) {
  const cards = settings.payments?.cards
  if (cards?.by === "stripe")
    return { provider: StripePayments.make({ ...cards, baseUrl: cards.url }), pretend: undefined }
  if (cards === undefined && (settings.payments !== undefined || !isPersonal(settings) || !onlySandbox()))
    return undefined
  const pretend = makePretend(yield* BaseUrl, () => cards !== undefined || onlySandbox())
  return { provider: pretend.provider, pretend }
})

export const payments = Effect.fnUntraced(function* (settings: Settings, onlySandbox: () => boolean) {
  const cards = yield* cardsOf(settings, onlySandbox)
  if (cards === undefined && settings.payments === undefined) return { current: undefined, endpointGroups: [] }
  const { least, most, transfer } = settings.payments ?? { ...defaultAmounts, transfer: "" }
  const current = yield* Payments.make({ provider: cards?.provider, transfer, least, most })
  const repeated = Effect.catchCause(current.work, (cause) =>
    Effect.logWarning("open payments were not checked", cause)
  )
  yield* Effect.forkScoped(Effect.repeat(repeated, Schedule.spaced("10 seconds")))
  const endpointGroups: ReadonlyArray<EndpointGroup.EndpointGroup> =
    cards === undefined
      ? []
      : [cards.pretend === undefined ? yield* events(current) : yield* pretendPages(current, cards.pretend)]
  return { current, endpointGroups }
})
