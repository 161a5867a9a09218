import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { TestGateway } from "../TestGateway.ts"

/** A new account on the test gateway, with a key. Returns the headers of its calls. */
export const tenant = (label: string) =>
  TestGateway.use(({ accounts }) =>
    Effect.gen(function* () {
      const { id } = yield* accounts.create(label)
      const { value } = yield* accounts.createKey(id, { label })
      return { authorization: `Bearer ${Redacted.value(value)}` }
    })
  ).pipe(Effect.orDie)
