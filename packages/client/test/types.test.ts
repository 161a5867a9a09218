import { call, type CallError, type ClientError, rerank } from "@tollgate/client"
import type {
  Conflict,
  InvalidRequest,
  NotFound,
  OverBudget,
  RateLimited,
  ServerFault,
  Unauthenticated,
  Unavailable,
  UnexpectedStatus,
  Unprocessable,
  UpstreamFailed
} from "@tollgate/contract/errors/ApiError"
import { follow } from "@tollgate/contract/operations/follow"
import { modelList } from "@tollgate/contract/operations/modelList"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type * as Effect from "effect/Effect"
import { expectTypeOf, it } from "vitest"
import type { AnswerInvalid, Client, InputInvalid, TransportFailed } from "../src/index.ts"

type Declared =
  | InvalidRequest
  | Unauthenticated
  | OverBudget
  | NotFound
  | Conflict
  | Unprocessable
  | RateLimited
  | ServerFault
  | UpstreamFailed
  | Unavailable

it("rerank can fail with what it declares and with what can go wrong on this side, and with nothing else", () => {
  expectTypeOf<Effect.Error<ReturnType<typeof rerank>>>().toEqualTypeOf<
    Declared | UnexpectedStatus | TransportFailed | AnswerInvalid | InputInvalid
  >()
  expectTypeOf<ClientError>().toEqualTypeOf<TransportFailed | AnswerInvalid | InputInvalid>()
  expectTypeOf<Effect.Success<ReturnType<typeof rerank>>>().toEqualTypeOf<RerankResult>()
  expectTypeOf<Effect.Services<ReturnType<typeof rerank>>>().toEqualTypeOf<Client>()
})

it("an operation that is free has no budget to exceed and no upstream to fail", () => {
  type Tags = CallError<typeof taskGet>["_tag"]
  expectTypeOf<Extract<Tags, "OverBudget" | "UpstreamFailed" | "Conflict">>().toEqualTypeOf<never>()
  expectTypeOf<Extract<CallError<typeof follow>["_tag"], "Forbidden">>().toEqualTypeOf<"Forbidden">()
  expectTypeOf<Extract<Tags, "Forbidden">>().toEqualTypeOf<never>()
})

it("the input is the operation's one part, or nothing", () => {
  expectTypeOf(call(taskGet)).parameter(0).toEqualTypeOf<{ readonly task_id: string }>()
  expectTypeOf<Effect.Success<ReturnType<ReturnType<typeof call<typeof taskGet>>>>>().toEqualTypeOf<VideoTask>()
  const list = call(modelList)
  expectTypeOf<Parameters<typeof list>>().toEqualTypeOf<[input?: void]>()
  expectTypeOf(rerank).parameter(0).toHaveProperty("documents").toEqualTypeOf<readonly [string, ...Array<string>]>()
})
