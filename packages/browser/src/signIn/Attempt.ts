import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { PageUnfit } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import { challengeOf, secret } from "./secrets.ts"
import { Server } from "./Server.ts"

/** A sign-in that was begun. The code that answers it goes to the server that was asked, whatever the answer says. */
const Attempt = Schema.Struct({
  state: Schema.String,
  verifier: Schema.String,
  server: Server,
  begunAt: Schema.Finite,
  /** The page's address at that time. */
  from: Schema.String
})
export type Attempt = typeof Attempt.Type

/** By which a window knows that another page waits for what it was opened for. */
export const popupPrefix = "popup."

export const begin = Effect.fnUntraced(function* (page: Page, options: Options, server: Server, prefix: string) {
  const verifier = yield* secret
  const state = prefix + (yield* secret)
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

const place = ({ clientId }: Options) => `tollgate.signIn.begun.${clientId}`

const Written = Schema.fromJsonString(Attempt)

/** One at a time in a tab: a later one takes the place of an earlier. */
export const put = (page: Page, options: Options, attempt: Attempt): Effect.Effect<void, PageUnfit> =>
  Effect.try({
    try: () => page.storage().setItem(place(options), Schema.encodeSync(Written)(attempt)),
    catch: () =>
      new PageUnfit({ why: "storage", message: "The browser does not let this page keep that a sign-in was begun." })
  })

const stored = (page: Page, options: Options): string | null => {
  try {
    return page.storage().getItem(place(options))
  } catch {
    return null
  }
}

/** The attempt of this state, once. One of another state stays. */
export const take = (page: Page, options: Options, state: string): Effect.Effect<Option.Option<Attempt>> =>
  Effect.sync(() => {
    const attempt = Option.filter(
      Schema.decodeUnknownOption(Written)(stored(page, options)),
      (attempt) => attempt.state === state
    )
    if (Option.isSome(attempt)) page.storage().removeItem(place(options))
    return attempt
  })
