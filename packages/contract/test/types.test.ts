import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as ApiError from "../src/errors/ApiError.ts"
import { make } from "../src/errors/ApiError.ts"
import type { MicroUsd, NanoUsd } from "../src/Money.ts"
import type * as Operation from "../src/Operation.ts"
import type { contractVersion } from "../src/operations/contractVersion.ts"
import type { follow } from "../src/operations/follow.ts"
import type { generateContent } from "../src/operations/generateContent.ts"
import type { modelList } from "../src/operations/modelList.ts"
import type { rerank } from "../src/operations/rerank.ts"
import type { taskGet } from "../src/operations/taskGet.ts"
import type { usage } from "../src/operations/usage.ts"

// These fail when tests are type-checked (`tsc -p tsconfig.test.json`), not when they run.

type Free =
  | ApiError.InvalidRequest
  | ApiError.Unauthenticated
  | ApiError.NotFound
  | ApiError.RateLimited
  | ApiError.ServerFault
  | ApiError.Unavailable
  | ApiError.UnexpectedStatus

type Billed = Free | ApiError.OverBudget | ApiError.Conflict | ApiError.Unprocessable | ApiError.UpstreamFailed

describe("how an operation can fail", () => {
  it("is what it declares and what nobody expects, and no more", () => {
    expectTypeOf<Operation.Failure<typeof rerank>>().toEqualTypeOf<Billed>()
    expectTypeOf<Operation.Failure<typeof follow>>().toEqualTypeOf<Billed | ApiError.Forbidden>()
    expectTypeOf<Operation.Failure<typeof usage>>().toEqualTypeOf<Free>()
    expectTypeOf<Operation.Failure<typeof contractVersion>>().toEqualTypeOf<
      ApiError.RateLimited | ApiError.ServerFault | ApiError.Unavailable | ApiError.UnexpectedStatus
    >()
  })

  it("can be told apart by tag", () => {
    expectTypeOf<Operation.Failure<typeof rerank>["_tag"]>().toEqualTypeOf<
      | "InvalidRequest"
      | "Unauthenticated"
      | "OverBudget"
      | "NotFound"
      | "Conflict"
      | "Unprocessable"
      | "RateLimited"
      | "ServerFault"
      | "UpstreamFailed"
      | "Unavailable"
      | "UnexpectedStatus"
    >()
    expectTypeOf(make<429>).returns.toEqualTypeOf<ApiError.RateLimited | ApiError.UnexpectedStatus>()
  })

  it("has the details in their own types", () => {
    expectTypeOf<ApiError.RateLimited["retryAfter"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<ApiError.RateLimited["outcome"]>().toEqualTypeOf<"not executed" | "executed" | "unknown">()
    expectTypeOf<ApiError.RateLimited["charge"]["micros"]>().toEqualTypeOf<MicroUsd | undefined>()
  })
})

describe("what an operation takes and gives", () => {
  it("is the one part that it has, or its parts by name, or nothing", () => {
    expectTypeOf<Operation.Input<typeof taskGet>>().toEqualTypeOf<{ readonly task_id: string }>()
    expectTypeOf<Operation.Input<typeof usage>>().toEqualTypeOf<{
      readonly start_time: number
      readonly end_time?: number
    }>()
    expectTypeOf<Operation.Input<typeof rerank>["documents"]>().toEqualTypeOf<readonly [string, ...Array<string>]>()
    expectTypeOf<keyof Operation.Input<typeof generateContent>>().toEqualTypeOf<"path" | "body">()
    expectTypeOf<Operation.Input<typeof modelList>>().toEqualTypeOf<void>()
  })

  it("is typed field by field", () => {
    expectTypeOf<Operation.Success<typeof rerank>["usage"]["total_tokens"]>().toEqualTypeOf<number>()
    expectTypeOf<Operation.Success<typeof usage>["totals"]["charged_micros_usd"]>().toEqualTypeOf<MicroUsd>()
    expectTypeOf<Operation.Success<typeof usage>["anything else"]>().toEqualTypeOf<unknown>()
  })
})

it("micro- and nano-USD are not taken for each other", () => {
  expectTypeOf<MicroUsd>().not.toExtend<NanoUsd>()
  expectTypeOf<bigint>().not.toExtend<NanoUsd>()
})
