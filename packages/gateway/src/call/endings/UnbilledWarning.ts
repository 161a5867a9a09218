import * as Effect from "effect/Effect"
import type { Priced } from "../../exchange/Exchange.ts"

const everyMillis = 60_000

interface Warned {
  at: number
  /** Answers since then. */
  answers: number
}

/** Tells the operator of 2xx answers that cost nothing because they prove no cost, once a minute for each upstream. */
export class UnbilledWarning {
  readonly #warned = new Map<string, Warned>()

  log({ operation: { id }, requestId }: Priced, provider: string): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const name = `${provider} ${id}`
      const last = this.#warned.get(name)
      const answers = (last?.answers ?? 0) + 1
      if (last !== undefined && now >= last.at && now - last.at < everyMillis) {
        last.answers = answers
        return Effect.void
      }
      this.#warned.set(name, { at: now, answers: 0 })
      const fields = { operation: id, provider, answers, requestId }
      return Effect.logWarning("an upstream's answer proves no cost and is not billed", fields)
    })
  }
}
