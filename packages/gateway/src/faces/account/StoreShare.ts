import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { NameLimit } from "../../limits/NameLimit.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

/** Milliseconds: a fifth of the time, and two seconds at once. */
const share = { burst: 2_000, perMinute: 12_000 }

const tooMuch = (retryAfter: number) =>
  refuse("rate_limit_exceeded", "The log and the usage of this account took too much time to read; slow down.", {
    retryAfter
  })

/** How long the store may work for what one account asks of it: an embedded store answers nobody else meanwhile. */
export class StoreShare {
  readonly #used = new NameLimit(share)

  /** What reads the store for an account, refused while the account has used up its time. */
  limit<A, E>(account: string, read: Effect.Effect<A, E>): Effect.Effect<A, E | Refused> {
    return Effect.gen({ self: this }, function* () {
      const started = yield* Clock.currentTimeMillis
      const wait = this.#used.wait(account, started)
      if (wait > 0) return yield* tooMuch(wait)
      return yield* Effect.ensuring(
        read,
        Effect.map(Clock.currentTimeMillis, (now) => this.#used.spend(account, now, Math.max(0, now - started)))
      )
    })
  }
}
