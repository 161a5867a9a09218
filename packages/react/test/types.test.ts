import { expectTypeOf, it } from "@effect/vitest"
import {
  type CallOptions,
  chatCompletionsStream,
  type ChatCompletionsStreamError,
  type ChatCompletionsStreamInput,
  rerank,
  type RerankError,
  type RerankInput
} from "@tollgate/client"
import { type Defect, useCall, useStream, useTask } from "@tollgate/react/effect"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

type Chunk = Stream.Success<ReturnType<typeof chatCompletionsStream>>
type Ranking = Effect.Success<ReturnType<typeof rerank>>

// Never called: only the compiler reads it.
const Component = () => {
  const stream = useStream(chatCompletionsStream)
  expectTypeOf(stream.start).parameter(0).toEqualTypeOf<ChatCompletionsStreamInput>()
  expectTypeOf(stream.events).toEqualTypeOf<ReadonlyArray<Chunk>>()
  if (stream.state === "failed") expectTypeOf(stream.error).toEqualTypeOf<ChatCompletionsStreamError | Defect>()
  else expectTypeOf(stream.error).toEqualTypeOf<undefined>()

  const call = useCall(rerank)
  expectTypeOf(call.call).toEqualTypeOf<(input: RerankInput, options?: CallOptions) => void>()
  if (call.state === "done") expectTypeOf(call.value).toEqualTypeOf<Ranking>()
  if (call.state === "failed") expectTypeOf(call.error).toEqualTypeOf<RerankError | Defect>()

  const task = useTask()
  if (task.state === "failed" && task.error._tag === "OutcomeUnknown")
    expectTypeOf(task.error.idempotencyKey).toEqualTypeOf<string | undefined>()
}

it("the types of input, events, value and errors are those of the operation", () => {
  expectTypeOf(Component).returns.toBeVoid()
})
