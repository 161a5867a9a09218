import * as Data from "effect/Data"
import * as Option from "effect/Option"

/** What was asked for makes no sense, in one line for the person who asked. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}

type Given = Readonly<Record<string, Option.Option<unknown>>>

type Chosen<G extends Given> = { readonly [K in keyof G]?: Option.Option.Value<G[K]> }

/** The flags that were given, by name. */
export const chosen = <G extends Given>(given: G): Chosen<G> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  ) as Chosen<G>
