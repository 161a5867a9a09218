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

// The type check (`tsc -p tsconfig.test.json`) proves these, not the test run.

type Free =
  | ApiError.InvalidRequest
  | ApiError.Unauthenticated
  | ApiError.NotFound
  | ApiError.RateLimited
  | ApiError.ServerFault
  | ApiError.Unavailable
  | ApiError.UnexpectedStatus

type Billed = Free | ApiError.OverBudget | ApiError.Conflict | ApiError.Unprocessable | ApiError.UpstreamFailed

describe("the errors of an operation", () => {
  it("are those it declares and UnexpectedStatus", () => {
    expectTypeOf<Operation.Failure<typeof rerank>>().toEqualTypeOf<Billed>()
    expectTypeOf<Operation.Failure<typeof follow>>().toEqualTypeOf<Billed | ApiError.Forbidden>()
    expectTypeOf<Operation.Failure<typeof usage>>().toEqualTypeOf<Free>()
    expectTypeOf<Operation.Failure<typeof contractVersion>>().toEqualTypeOf<
      ApiError.RateLimited | ApiError.ServerFault | ApiError.Unavailable | ApiError.UnexpectedStatus
    >()
  })

  it("have distinct tags", () => {
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

  it("have typed details", () => {
    expectTypeOf<ApiError.RateLimited["retryAfter"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<ApiError.RateLimited["outcome"]>().toEqualTypeOf<"not executed" | "executed" | "unknown">()
    expectTypeOf<ApiError.RateLimited["charge"]["micros"]>().toEqualTypeOf<MicroUsd | undefined>()
  })
})

describe("input and success", () => {
  it("input is the only part of the request, several parts by name, or void", () => {
    expectTypeOf<Operation.Input<typeof taskGet>>().toEqualTypeOf<{ readonly task_id: string }>()
    expectTypeOf<Operation.Input<typeof usage>>().toEqualTypeOf<{
      readonly start_time: number
      readonly end_time?: number
    }>()
    expectTypeOf<Operation.Input<typeof rerank>["documents"]>().toEqualTypeOf<ReadonlyArray<string>>()
    expectTypeOf<keyof Operation.Input<typeof generateContent>>().toEqualTypeOf<"path" | "body">()
    expectTypeOf<Operation.Input<typeof modelList>>().toEqualTypeOf<void>()
  })

  it("success is typed field by field", () => {
    expectTypeOf<Operation.Success<typeof rerank>["usage"]["total_tokens"]>().toEqualTypeOf<number>()
    expectTypeOf<Operation.Success<typeof usage>["totals"]["charged_micros_usd"]>().toEqualTypeOf<MicroUsd>()
    expectTypeOf<Operation.Success<typeof usage>["anything else"]>().toEqualTypeOf<unknown>()
  })
})

it("micro-USD and nano-USD cannot be mixed up", () => {
  expectTypeOf<MicroUsd>().not.toExtend<NanoUsd>()
  expectTypeOf<bigint>().not.toExtend<NanoUsd>()
})
