import * as Effect from "effect/Effect"
import type { Options } from "../Client.ts"

/** The client's options, with an `apiKey` or a function that returns a credential for each request. */
export type PromiseOptions = Omit<Options, "credential"> &
  (
    | { readonly apiKey: string; readonly credential?: never }
    | { readonly apiKey?: never; readonly credential: Options["credential"] | (() => string | Promise<string>) }
  )

type Source = NonNullable<PromiseOptions["apiKey"] | PromiseOptions["credential"]>

const credentialOf = (source: Source): Options["credential"] =>
  typeof source === "function" ? Effect.tryPromise({ try: async () => source(), catch: (cause) => cause }) : source

/** Converts the options to those of `Client`. Throws unless there is exactly one credential. */
export const optionsOf = <O extends PromiseOptions>({
  apiKey,
  credential,
  ...others
}: O): Omit<O, "apiKey" | "credential"> & Pick<Options, "credential"> => {
  const [source, another] = [apiKey, credential].filter((given) => (given ?? "") !== "")
  if (source === undefined) throw new TypeError("No credential: pass `apiKey` or `credential`")
  if (another !== undefined) throw new TypeError("Pass either `apiKey` or `credential`, not both")
  return { ...others, credential: credentialOf(source) }
}
