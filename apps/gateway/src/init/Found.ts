import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Provider, providers } from "./providers.ts"

/** A provider whose key is in the environment. */
export interface Found {
  readonly provider: Provider
  /** The variable that has its key. Missing for a server that needs none. */
  readonly variable: string | undefined
  readonly baseUrl: string
}

const isSet = (name: string) => Effect.map(Effect.option(Config.NonEmptyString(name)), Option.isSome)

const firstSet = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  for (const name of names) if (yield* isSet(name)) return name
  return undefined
})

/** The providers whose keys are set. Keys are only looked for, never read. */
export const found = Effect.gen(function* () {
  const all: Array<Found> = []
  for (const provider of providers) {
    const variable = yield* firstSet(provider.variables)
    if (variable === undefined) continue
    const address = provider.addressVariable
    const own = address === undefined ? Option.none() : yield* Effect.option(Config.NonEmptyString(address))
    all.push({ provider, variable, baseUrl: Option.getOrElse(own, () => provider.baseUrl) })
  }
  return all
})

/** The variable for the key of an address that a person names: `GROQ_API_KEY` for `groq`. */
export const keyVariable = Effect.fnUntraced(function* (name: string) {
  const variable = `${name.toUpperCase().replaceAll("-", "_")}_API_KEY`
  return (yield* isSet(variable)) ? variable : undefined
})
