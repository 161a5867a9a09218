import { InvalidArgumentError } from "@ai-sdk/provider"
import type { PromiseCallOptions } from "@tollgate/client"

/**
 * Options of a call: the second argument of a model, or `providerOptions.tollgate` of one call, which wins.
 *
 * @example
 * await generateText({ model, prompt, providerOptions: { tollgate: { maxPrice: "0.01" } satisfies TollgateCallOptions } })
 */
export type TollgateCallOptions = {
  /** The most that each step may cost, in decimal USD. A step that can cost more is refused before anything is spent. */
  maxPrice?: string
  /**
   * The same key and the same call get the stored answer and are not paid again. In a loop of tools each further step has a
   * key of its own, derived from this one, so that the whole loop can be repeated.
   */
  idempotencyKey?: string
  /** Tags of the call, for usage reports: `{ team: "search" }`. */
  tags?: Record<string, string>
  /** Asks for the price first, free of charge, and adds it to the metadata. */
  quote?: boolean
  /** Of the whole call, all attempts and waits included: `"5 seconds"`, or milliseconds. For a stream, until it begins. */
  timeout?: number | `${number} ${"millis" | "seconds" | "minutes"}`
  /** How often the client may retry the call, under its key: 3 by default. `maxRetries` of `ai` changes nothing. */
  retries?: number
  /**
   * A stream goes on after its connection broke, and one that is aborted ends at the gateway. The same call with the same
   * `idempotencyKey`, from a page that was reloaded, gets the whole stream again, which is not paid again.
   */
  resumable?: boolean
  /** Asks for a kept answer to the same request, where the operator allows it. */
  cache?: "use" | "refresh" | { maxAge: number }
  /** A scenario of the sandbox, for tests. Other upstreams never see it. */
  scenario?: string
  /** Fields of the protocol's own, added to the body. */
  extra?: { [name: string]: JsonValue }
}

type JsonValue = null | string | number | boolean | Array<JsonValue> | { [name: string]: JsonValue | undefined }

type Names = Record<keyof TollgateCallOptions, true>

const known: Names = {
  maxPrice: true,
  idempotencyKey: true,
  tags: true,
  quote: true,
  timeout: true,
  retries: true,
  resumable: true,
  cache: true,
  scenario: true,
  extra: true
}

const wrong = (argument: string, message: string) => new InvalidArgumentError({ argument, message })

/** Throws for a name that is not known: `{ maxprice: "1" }` must not mean that there is no cap. */
export const checkOptions = (options: object, argument: string): TollgateCallOptions => {
  const unknown = Object.keys(options).find((name) => !(name in known))
  if (unknown !== undefined) {
    throw wrong(argument, `${argument}.${unknown} is not known. There are: ${Object.keys(known).join(", ")}`)
  }
  return options
}

interface Passed {
  readonly abortSignal?: AbortSignal | undefined
  readonly headers?: Record<string, string | undefined> | undefined
  readonly providerOptions?: Record<string, Record<string, unknown>> | undefined
}

/** Options as the client's functions take them. */
export interface Settled {
  /** The key that the caller passes to make the same call again. */
  readonly key: string
  readonly maxPrice: string | undefined
  readonly quote: boolean
  readonly isResumable: boolean
  readonly options: PromiseCallOptions
}

const hex = (byte: number): string => byte.toString(16).padStart(2, "0")

// oxlint-disable-next-line tollgate/no-ambient -- keys must not repeat, in tests neither
const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join("")

/** The client names itself. */
const isOwn = (name: string): boolean => name.toLowerCase() === "user-agent"

const headersOf = (headers: Passed["headers"] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || isOwn(name) ? [] : [[name, value]]))
  )

/** `suffix` tells apart the calls that `ai` makes with the same options. */
export const settle = (defaults: TollgateCallOptions, passed: Passed, suffix = ""): Settled => {
  const own = checkOptions(passed.providerOptions?.["tollgate"] ?? {}, "providerOptions.tollgate")
  const { idempotencyKey: key = newKey(), quote = false, resumable = false, ...rest } = { ...defaults, ...own }
  return {
    key,
    maxPrice: rest.maxPrice,
    quote,
    isResumable: resumable,
    options: {
      ...rest,
      // An abort tells the key as it was sent. It must find the same call.
      idempotencyKey: key.endsWith(suffix) ? key : key + suffix,
      headers: headersOf(passed.headers),
      ...(passed.abortSignal === undefined ? {} : { signal: passed.abortSignal })
    }
  }
}
