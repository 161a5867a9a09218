import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Storage } from "./Storage.ts"

export interface Lifetimes {
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
  /** How long a refresh token that was used gets the same answer again. */
  readonly refreshGraceSeconds: number
}

const model = "Refreshed"

/** How long a refresh waits for the answer of another one with the same token, which is being made. */
const waitMillis = 2_000
const lookMillis = 50

/** The answer of the token endpoint to a refresh. */
interface Answer {
  /** The parameters that decide what is issued. */
  readonly asked: string
  readonly at: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A refresh, by the token that it used up. */
export interface Refresh {
  readonly token: string
  readonly signIn: string | undefined
  readonly asked: string
}

const bodyAt = ({ at, body }: Answer, now: number): Answer["body"] =>
  typeof body.expires_in === "number"
    ? { ...body, expires_in: Math.max(0, body.expires_in - Math.floor((now - at) / 1_000)) }
    : body

/**
 * The answers to refreshes, kept for a moment. A client whose answer was lost, or that refreshes several times at once, sends the
 * same token again and gets the same answer.
 */
export const make = (storage: Storage, graceMillis: number) => {
  const find = Effect.fnUntraced(function* (token: string) {
    const stored = yield* storage.find(model, token)
    return stored && (JSON.parse(stored.payload) as Answer)
  })

  const waitFor = Effect.fnUntraced(function* (token: string) {
    for (let waited = 0; waited < waitMillis; waited += lookMillis) {
      const found = yield* find(token)
      if (found !== undefined) return found
      yield* Effect.sleep(lookMillis)
    }
    return undefined
  })

  return {
    /** Whether a token that was used up at this time may be used once more. */
    isRecent: (usedAt: number, now: number): boolean => now - usedAt < graceMillis,

    keep: Effect.fnUntraced(function* ({ asked, signIn, token }: Refresh, body: Answer["body"]) {
      const at = yield* Clock.currentTimeMillis
      const answer: Answer = { asked, at, body }
      yield* storage.upsert(model, token, JSON.stringify(answer), { signIn, expiresAt: at + graceMillis })
    }),

    /**
     * The answer to an earlier refresh with the same token. `"other"`: that one asked for something else. `undefined`: it never
     * answered, so that nobody has what it issued.
     */
    again: Effect.fnUntraced(function* (token: string, asked: string) {
      const answer = yield* waitFor(token)
      if (answer === undefined) return undefined
      return answer.asked === asked ? bodyAt(answer, yield* Clock.currentTimeMillis) : ("other" as const)
    })
  }
}

export type Refreshed = ReturnType<typeof make>
