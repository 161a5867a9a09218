import { layer } from "@tollgate/browser"
import { profile } from "@tollgate/client/account"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { baseUrl, outside } from "./gateway.ts"
import { type Session, sessionOf } from "./Session.ts"

export const keySession = (key: string, by: "key" | "demo"): Session =>
  sessionOf({
    by,
    credential: () => Redacted.make(key, { label: "api key" }),
    refused: "This key no longer works. It was revoked or has expired."
  })

const wrongKey = "This key does not work here. It may be incomplete, revoked, or from another gateway."
const unreachable = "The gateway cannot be reached. Check that it is running, and try again."

/** What is wrong with a key, in words. `undefined`: nothing. */
export const problemWith = (key: string): Promise<string | undefined> => {
  // What no key contains would not fit into a header either.
  if (!/^[\x21-\x7e]+$/.test(key)) return Promise.resolve(wrongKey)
  const once = layer({ baseUrl, credential: Redacted.make(key), allowKeyInPage: true, pace: false, retries: 0 })
  return Effect.runPromise(
    profile().pipe(
      Effect.provide(once),
      Effect.match({
        onSuccess: () => undefined,
        onFailure: (error) => {
          if (error._tag === "TransportFailed") return unreachable
          return "status" in error && error.status === 401 ? wrongKey : error.message
        }
      })
    )
  )
}

/** The page waits for the answer. */
const deadlineMillis = 3_000

const ask = async (method: "GET" | "POST"): Promise<Readonly<Record<string, unknown>>> => {
  const signal = AbortSignal.timeout(deadlineMillis)
  const answer = await fetch(outside("/account/v1/demo"), { method, cache: "no-store", signal })
  return answer.ok ? ((await answer.json()) as Record<string, unknown>) : {}
}

/** Whether this gateway gives its demo key to this page: on the machine where it was started first. */
export const hasDemo = (): Promise<boolean> =>
  ask("GET").then(
    ({ available }) => available === true,
    () => false
  )

export const demoKey = (): Promise<string | undefined> =>
  ask("POST").then(
    ({ key }) => (typeof key === "string" ? key : undefined),
    () => undefined
  )
