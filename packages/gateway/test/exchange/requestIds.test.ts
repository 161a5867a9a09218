import { expect, it } from "@effect/vitest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as RequestIds from "../../src/exchange/RequestIds.ts"

it.effect("request ids are unique within and across processes, and valid in a header", () =>
  Effect.gen(function* () {
    const processes = yield* Effect.all([RequestIds.make, RequestIds.make, RequestIds.make])
    const ids = processes.flatMap((next) => Array.from({ length: 40_000 }, next))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^req_[0-9a-z]{22,40}$/.test(id))).toEqual([])
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
)
