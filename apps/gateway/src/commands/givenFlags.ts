import * as Option from "effect/Option"

type Flags = Readonly<Record<string, Option.Option<unknown>>>

type Given<F extends Flags> = { readonly [K in keyof F]?: Option.Option.Value<F[K]> }

/** The values of the flags that were given, by name. */
export const givenFlags = <F extends Flags>(flags: F): Given<F> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  ) as Given<F>
