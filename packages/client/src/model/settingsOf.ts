import * as Effect from "effect/Effect"
import { Client } from "../Client.ts"
import { merge, Settings } from "../options/settings.ts"

/** The settings of calls with these options. The client's cap applies if nothing else sets one. */
export const settingsOf = (own: Settings): Effect.Effect<Settings, never, Client> =>
  Effect.gen(function* () {
    const { maxPrice } = yield* Client
    return merge(maxPrice === undefined ? {} : { maxPrice }, merge(yield* Settings, own))
  })
