import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { PageUnfit } from "./errors.ts"
import { Server } from "./Server.ts"

/** The parameters that the server adds to `redirectUri`. */
const parameters = ["state", "code", "iss", "error", "error_description", "error_uri", "session_state"]

export interface AuthorizationResponse {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly iss: string | undefined
  readonly error: string | undefined
  /** The whole query string, to pass to another page. */
  readonly search: string
}

/** If a parameter appears twice, no parameter is used. */
export const parse = (search: string): AuthorizationResponse => {
  const all = new URLSearchParams(search)
  const isUnambiguous = parameters.every((name) => all.getAll(name).length <= 1)
  const one = (name: string) => (isUnambiguous ? (all.get(name) ?? undefined) : undefined)
  return { state: one("state"), code: one("code"), iss: one("iss"), error: one("error"), search }
}

const isAnswer = (address: URL, redirectUri: URL): boolean =>
  address.origin === redirectUri.origin &&
  address.pathname === redirectUri.pathname &&
  address.searchParams.has("state") &&
  (address.searchParams.has("code") || address.searchParams.has("error"))

/** Reads the response from the page's address and removes it there, so that a reload does not send it again. */
export const takeAuthorizationResponse = (page: Page, { redirectUri }: Options): AuthorizationResponse | undefined => {
  const address = new URL(page.address())
  if (!URL.canParse(redirectUri) || !isAnswer(address, new URL(redirectUri))) return undefined
  const response = parse(address.search)
  for (const name of parameters) address.searchParams.delete(name)
  page.replaceAddress(address.href)
  return response
}

/** 32 random bytes as 43 URL-safe characters. */
export const randomSecret: Effect.Effect<string> = SecureRandom.SecureRandom.use(({ randomBytes }) =>
  Effect.map(randomBytes(32), Base64Url.encode)
).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/** RFC 7636, 4.2: S256. */
const challengeOf = (verifier: string): Effect.Effect<string> =>
  Digest.Digest.use(({ digest }) =>
    Effect.map(digest(Digest.sha256, new TextEncoder().encode(verifier)), Base64Url.encode)
  ).pipe(Effect.provide(Digest.layerWebCrypto))

/** A started sign-in. Its code is sent only to the server where the sign-in started. */
const Attempt = Schema.Struct({
  state: Schema.String,
  verifier: Schema.String,
  server: Server,
  begunAt: Schema.Finite,
  /** The page's address when the sign-in started. */
  from: Schema.String
})
export type Attempt = typeof Attempt.Type

/** Prefix of `state` that tells a popup to send the answer to the page that opened it. */
export const popupPrefix = "popup."

export const begin = Effect.fnUntraced(function* (page: Page, options: Options, server: Server, prefix: string) {
  const verifier = yield* randomSecret
  const state = prefix + (yield* randomSecret)
  const url = new URL(server.authorizationEndpoint)
  const query = {
    response_type: "code",
    client_id: options.clientId,
    redirect_uri: options.redirectUri,
    scope: options.scopes?.join(" ") ?? "",
    state,
    code_challenge: yield* challengeOf(verifier),
    code_challenge_method: "S256",
    resource: server.resource ?? ""
  }
  for (const [name, value] of Object.entries(query)) if (value !== "") url.searchParams.set(name, value)
  const begunAt = yield* Clock.currentTimeMillis
  const attempt: Attempt = { state, verifier, server, begunAt, from: page.address() }
  return { attempt, url: url.href }
})

const storageKey = ({ clientId }: Options) => `tollgate.signIn.begun.${clientId}`

const StoredAttempt = Schema.fromJsonString(Attempt)

/** A tab stores one attempt; a new one replaces it. */
export const put = (page: Page, options: Options, attempt: Attempt): Effect.Effect<void, PageUnfit> =>
  Effect.try({
    try: () => page.storage().setItem(storageKey(options), Schema.encodeSync(StoredAttempt)(attempt)),
    catch: () =>
      new PageUnfit({
        why: "storage",
        message: "The browser does not allow this page to store the sign-in in sessionStorage."
      })
  })

const readStored = (page: Page, options: Options): string | null => {
  try {
    return page.storage().getItem(storageKey(options))
  } catch {
    return null
  }
}

/** Returns the attempt with this `state` and removes it. An attempt with another `state` stays stored. */
export const take = (page: Page, options: Options, state: string): Effect.Effect<Option.Option<Attempt>> =>
  Effect.sync(() => {
    const attempt = Option.filter(
      Schema.decodeUnknownOption(StoredAttempt)(readStored(page, options)),
      (attempt) => attempt.state === state
    )
    if (Option.isSome(attempt)) page.storage().removeItem(storageKey(options))
    return attempt
  })
