import { attempt } from "@tollgate/contract/attempt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallFunction } from "../call/bindOperation.ts"
import type { Client } from "../Client.ts"
import { withResponse } from "../call/withResponse.ts"
import type { PageOptions } from "../options/CallOptions.ts"
import { PagingStuck } from "../workflows/page/paginate.ts"
import { type Arguments, callById, findIn, type DiscoveredOptions } from "./call.ts"
import type { Description, DiscoveryError } from "./Description.ts"

/** Options of paging. Each page is a call of its own, so that no idempotency key fits all. */
export type PagesOptions = Omit<DiscoveredOptions, "idempotencyKey">

/** The address of the next page in a header `Link`. */
const nextIn = (link: string | undefined): string | undefined => {
  for (const [, address, parameters = ""] of (link ?? "").matchAll(/<([^<>]*)>((?:\s*;[^,<]*)*)/g)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(parameters)) return address
  }
  return undefined
}

const decoded = (text = ""): string => attempt(() => decodeURIComponent(text.replaceAll("+", " "))) ?? text

const pairsIn = (query: string): ReadonlyArray<readonly [string, string]> =>
  query.split("&").map((part) => {
    const [name, ...value] = part.split("=")
    return [decoded(name), decoded(value.join("="))]
  })

/** The arguments of the next page: those of the query are as the link has them, and the others stay. */
const nextArguments = ({ query = [], styles = {} }: Description, given: Arguments, address: string): Arguments => {
  const pairs = pairsIn(/\?([^#]*)/.exec(address)?.[1] ?? "")
  const found = query.flatMap((name): ReadonlyArray<readonly [string, unknown]> => {
    const texts = pairs.flatMap(([key, text]) => (key === name ? [text] : []))
    if (texts.length === 0 || styles[name] === "brackets") return []
    if (styles[name] === "spaces" || styles[name] === "pipes") {
      return [[name, texts.flatMap((text) => text.split(styles[name] === "spaces" ? " " : "|"))]]
    }
    return [[name, styles[name] === "repeat" ? texts : texts[0]]]
  })
  return { ...given, ...Object.fromEntries(found) }
}

/** `undefined` if the arguments cannot be written: then the call refuses them. */
const keyOf = (given: Arguments): string | undefined =>
  attempt(() => JSON.stringify(given, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)))

/** Calls page after page, as the links lead on. The description is read once there is a next page. */
const followed = <A, E>(
  input: Arguments,
  call: (given: Arguments) => Effect.Effect<A, E, Client>,
  described: Effect.Effect<Description, E, Client>
): Stream.Stream<A, E | PagingStuck, Client> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return Stream.paginate(
      input,
      Effect.fnUntraced(function* (given: Arguments) {
        // The same arguments again would lead around in a circle, and each round is paid for.
        const key = keyOf(given)
        if (key !== undefined && seen.has(key)) {
          return yield* new PagingStuck({
            message: "The link to the next page leads to an earlier one",
            cursor: "",
            pages: seen.size
          })
        }
        if (key !== undefined) seen.add(key)
        const { headers, value } = yield* withResponse(call(given))
        const address = nextIn(headers["link"])
        if (address === undefined) return [[value], Option.none<Arguments>()] as const
        return [[value], Option.some(nextArguments(yield* described, given, address))] as const
      })
    )
  })

export const pagesById = (
  id: string,
  input: Arguments = {},
  options: PagesOptions = {}
): Stream.Stream<unknown, DiscoveryError | PagingStuck, Client> =>
  followed(
    input,
    (given) => callById(id, given, options),
    Effect.map(findIn(id, options), ({ description }) => description)
  )

/** A function that reads the pages of a list. */
export type PagesFunction<I, A, E> = (input: I, options?: PageOptions) => Stream.Stream<A, E | PagingStuck, Client>

/** Makes the function that reads the pages of an operation from the one that reads a page, which resumes a page that broke. */
export const describedPages =
  <I, A, E>(page: CallFunction<I, A, E>, description: Description): PagesFunction<I, A, E> =>
  (input, options) =>
    followed((input ?? {}) as Arguments, (given) => page(given as I, options), Effect.succeed(description))
