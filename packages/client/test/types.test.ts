import {
  call,
  type CallError,
  type CallOptions,
  type ClientError,
  type CredentialUnavailable,
  type PromiseClient,
  type Promises,
  quote,
  type QuoteError,
  rerank,
  salesData,
  usage,
  videoCreate,
  withBudget
} from "@tollgate/client"
import type * as operations from "@tollgate/client/operations"
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
import type { CallPrice } from "@tollgate/contract/resources/Quote"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type * as Effect from "effect/Effect"
import { expectTypeOf, it } from "vitest"
import type { PaceExceeded } from "../src/errors/errors.ts"
import type {
  AnswerInvalid,
  BudgetExceeded,
  Client,
  InputInvalid,
  OutcomeUnknown,
  TransportFailed
} from "../src/index.ts"

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

it("rerank fails with its declared errors and the client's, and nothing else", () => {
  expectTypeOf<Effect.Error<ReturnType<typeof rerank>>>().toEqualTypeOf<
    Declared | UnexpectedStatus | ClientError | OutcomeUnknown | BudgetExceeded
  >()
  expectTypeOf<ClientError>().toEqualTypeOf<
    TransportFailed | AnswerInvalid | InputInvalid | CredentialUnavailable | PaceExceeded
  >()
  expectTypeOf<Effect.Success<ReturnType<typeof rerank>>>().toEqualTypeOf<RerankResult>()
  expectTypeOf<Effect.Services<ReturnType<typeof rerank>>>().toEqualTypeOf<Client>()
})

it("only billed operations can fail with OutcomeUnknown and BudgetExceeded", () => {
  type Free = UnexpectedStatus | ClientError | RateLimited | ServerFault | Unavailable
  expectTypeOf<Effect.Error<ReturnType<typeof salesData>>>().toEqualTypeOf<Free>()
  expectTypeOf<Effect.Error<ReturnType<typeof usage>>>().toEqualTypeOf<
    Free | InvalidRequest | Unauthenticated | NotFound
  >()
  expectTypeOf<Effect.Error<ReturnType<typeof videoCreate>>>().toEqualTypeOf<
    Declared | UnexpectedStatus | ClientError | OutcomeUnknown | BudgetExceeded
  >()
})

it("a quote takes the operation's input and has no errors of spending, idempotency or upstreams", () => {
  const asked = () => quote(rerank, { query: "q", documents: ["d"] })
  expectTypeOf<Effect.Success<ReturnType<typeof asked>>>().toEqualTypeOf<CallPrice>()
  expectTypeOf<Effect.Error<ReturnType<typeof asked>>>().toEqualTypeOf<QuoteError>()
  expectTypeOf<QuoteError>().toEqualTypeOf<
    Exclude<Declared, OverBudget | Conflict | Unprocessable | UpstreamFailed> | UnexpectedStatus | ClientError
  >()
  // @ts-expect-error: the input is not rerank's
  const wrong = () => quote(rerank, { query: "q" })
  expectTypeOf(wrong).toBeFunction()
  const budgeted = () => salesData().pipe(withBudget("1"))
  expectTypeOf<Effect.Error<ReturnType<typeof budgeted>>>().toEqualTypeOf<
    UnexpectedStatus | ClientError | RateLimited | ServerFault | Unavailable
  >()
})

it("a free operation has no budget and no upstream errors", () => {
  type Tags = CallError<typeof taskGet>["_tag"]
  expectTypeOf<Extract<Tags, "OverBudget" | "UpstreamFailed" | "Conflict">>().toEqualTypeOf<never>()
  expectTypeOf<Extract<CallError<typeof follow>["_tag"], "Forbidden">>().toEqualTypeOf<"Forbidden">()
  expectTypeOf<Extract<Tags, "Forbidden">>().toEqualTypeOf<never>()
})

it("the input is the operation's one part, or nothing", () => {
  expectTypeOf(call(taskGet)).parameter(0).toEqualTypeOf<{ readonly task_id: string }>()
  expectTypeOf<Effect.Success<ReturnType<ReturnType<typeof call<typeof taskGet>>>>>().toEqualTypeOf<VideoTask>()
  const list = call(modelList)
  expectTypeOf<Parameters<typeof list>>().toEqualTypeOf<[input?: void, options?: CallOptions | undefined]>()
  expectTypeOf(rerank).parameter(0).toHaveProperty("documents").toEqualTypeOf<ReadonlyArray<string>>()
})

it("the promise client has exactly the functions of the operations", () => {
  type Functions = Promises<typeof operations>
  expectTypeOf<keyof PromiseClient>().toEqualTypeOf<keyof Functions>()
  expectTypeOf<Functions>().toExtend<PromiseClient>()
  type Inputs<C> = { [K in keyof C & keyof typeof operations]: C[K] extends (input: infer I) => unknown ? I : never }
  expectTypeOf<Inputs<PromiseClient>>().toEqualTypeOf<Inputs<Functions>>()
})
