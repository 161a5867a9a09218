import { zero } from "@tollgate/contract/Money"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Option from "effect/Option"
import { BaseUrl } from "../exchange/BaseUrl.ts"
import { AnswerCache } from "./AnswerCache.ts"

/** The name of a file follows. */
export const filesPath = "/mcp/files/"

/** A larger file is not kept. */
const mostBytes = 16 * 1024 * 1024

const lifetimeMillis = 60 * 60 * 1_000

export interface StoredFile {
  readonly bytes: Uint8Array
  readonly contentType: string
}

const namePattern = /^([\w-]{1,80})\.([0-9a-f]{64})$/

/**
 * Files that whoever has their name can open, for an hour. They are kept with the kept answers: in the store, for all gateways
 * that share it, and in the same share of their account. The store has no name, only its digest. `undefined`: nothing is kept here.
 */
export const make = Effect.gen(function* () {
  const answers = Option.getOrUndefined(yield* Effect.serviceOption(AnswerCache))
  if (answers === undefined) return undefined
  const baseUrl = (yield* BaseUrl).replace(/\/$/, "")
  const random = yield* SecureRandom
  const digest = yield* Digest.Digest
  const keyOf = (secret: string) => digest.digestHex(Digest.sha256, Utf8.encode(`file ${secret}`))

  /** Returns its address, and the end of that in Unix milliseconds. `undefined`: the file is too large, or the store failed. */
  const keep = Effect.fnUntraced(function* (account: string, call: string, { bytes, contentType }: StoredFile) {
    if (bytes.length > mostBytes) return undefined
    const secret = Hex.encode(yield* random.randomBytes(32))
    const name = `${account}.${secret}`
    if (!namePattern.test(name)) return undefined
    const storedAt = yield* Clock.currentTimeMillis
    const cached = {
      call,
      answer: { status: 200, contentType, headers: {}, bytes },
      list: zero,
      evidence: { kind: "request" } as const,
      storedAt
    }
    const stored = answers.store(account, yield* keyOf(secret), cached, lifetimeMillis)
    return yield* Effect.match(stored, {
      onSuccess: (isStored) =>
        isStored ? { uri: `${baseUrl}${filesPath}${name}`, endsAt: storedAt + lifetimeMillis } : undefined,
      onFailure: () => undefined
    })
  })

  const open = Effect.fnUntraced(function* (name: string): Effect.fn.Return<StoredFile | undefined> {
    const [, account, secret] = namePattern.exec(name) ?? []
    if (account === undefined || secret === undefined) return undefined
    const found = yield* Effect.orElseSucceed(answers.find(account, yield* keyOf(secret)), () => undefined)
    return found && { bytes: found.answer.bytes, contentType: found.answer.contentType ?? "application/octet-stream" }
  })

  return { keep, open }
})

export type StoredFiles = NonNullable<Effect.Success<typeof make>>
