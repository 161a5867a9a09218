import { type Carrier, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { readBounded } from "@tollgate/contract/carrier/readBounded"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { carryWith } from "./outgoing.ts"
import { requestTo } from "./pollUpstream.ts"
import type { Provider } from "./Provider.ts"
import type { ProviderStates } from "./ProviderStates.ts"

const longestMillis = 10_000
const maxBytes = 65_536

/** Whether an upstream answers, with anything but an error of its own. */
const answers = ({ carry }: Carrier["Service"], provider: Provider, path: string): Effect.Effect<boolean> =>
  carryWith(carry, provider, () => requestTo(provider, { method: "GET", path, headers: {}, body: undefined })).pipe(
    Effect.flatMap(({ body, status }) => Effect.as(readBounded(body, maxBytes), status < 500)),
    Effect.timeoutOrElse({ duration: longestMillis, orElse: () => Effect.fail(new NotCarried({ why: "timeout" })) }),
    Effect.catch(({ why }) => Effect.succeed(why === "too large"))
  )

/** Asks each upstream that has a health check, for ever, one request at a time. */
export const checkHealth = (
  carrier: Carrier["Service"],
  states: ProviderStates,
  providers: Iterable<Provider>
): Effect.Effect<void> =>
  Effect.forEach(
    providers,
    (provider) => {
      const { breaker } = states.of(provider)
      const { health } = provider
      if (breaker === undefined || health === undefined) return Effect.void
      const check = Effect.flatMap(answers(carrier, provider, health.path), (isUp) =>
        Effect.map(Clock.currentTimeMillis, (now) => breaker.checked(isUp, now))
      )
      return Effect.repeat(check, Schedule.spaced(health.everyMillis))
    },
    { concurrency: "unbounded", discard: true }
  )
