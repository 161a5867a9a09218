import { zero } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import { json } from "../exchange/Reply.ts"
import { AnswerCache } from "./AnswerCache.ts"

const lifetimeMillis = 24 * 3_600_000
const idBytes = 16
const idPattern = /^[0-9a-f]{32}$/
const nameOf = (id: string): string => `reseller ${id}`

/** The reseller cache: answers that their account can read again for a day, in the account's share of the kept answers. */
export class ResellerCache extends Context.Service<
  ResellerCache,
  {
    /** A new id that cannot be guessed. */
    readonly newId: Effect.Effect<string>
    /** `call`: the one that it is the answer to. `false`: it is larger than the account's share of the cache. */
    readonly keep: (account: string, id: string, call: string, bytes: Uint8Array) => Effect.Effect<boolean, SqlError>
    /** `none`: unknown, expired, or of another account. */
    readonly read: (account: string, id: string) => Effect.Effect<Option.Option<Uint8Array>, SqlError>
  }
>()("@tollgate/gateway/ResellerCache") {
  static readonly layer: Layer.Layer<ResellerCache, never, AnswerCache | SecureRandom> = Layer.effect(
    ResellerCache,
    Effect.gen(function* () {
      const answers = yield* AnswerCache
      const random = yield* SecureRandom
      return {
        newId: Effect.map(random.randomBytes(idBytes), Hex.encode),
        keep: (account, id, call, bytes) =>
          Effect.flatMap(Clock.currentTimeMillis, (storedAt) => {
            const answer = { ...json(""), bytes }
            const cached = { call, answer, list: zero, evidence: { kind: "request" } as const, storedAt }
            return answers.store(account, nameOf(id), cached, lifetimeMillis)
          }),
        read: (account, id) =>
          idPattern.test(id)
            ? Effect.map(answers.find(account, nameOf(id)), (found) =>
                Option.map(Option.fromUndefinedOr(found), ({ answer }) => answer.bytes)
              )
            : Effect.succeedNone
      }
    })
  )
}
