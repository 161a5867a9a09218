import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type Requested, textOfOutput, type ToolResult } from "../Protocol.ts"
import { issueLines } from "../schema.ts"
import type { AbortSignalLike } from "../../promises/PromiseOptions.ts"
import type { ToolUse } from "./Step.ts"
import type { Prepared } from "./Tool.ts"

/** Why a tool gave no result. */
interface Failure {
  /** For the model. */
  readonly message: string
  readonly cause: unknown
}

const messageOf = (error: unknown): string => {
  if (!Predicate.hasProperty(error, "message") || typeof error.message !== "string") return String(error)
  return error.message || (Predicate.hasProperty(error, "_tag") ? String(error._tag) : "The tool failed")
}

const failure = (cause: unknown): Failure => ({ message: messageOf(cause), cause })

/** Runs a handler, whatever it returns. */
const handle = <R>(run: Prepared<R>["run"], input: unknown): Effect.Effect<unknown, unknown, R> =>
  Effect.callback<Effect.Effect<unknown, unknown, R>, unknown>((resume, signal) => {
    const settle = async () => {
      const made = run(input as never, { signal: signal as AbortSignalLike })
      return Effect.isEffect(made) ? made : Effect.succeed(await made)
    }
    settle().then(
      (made) => resume(Effect.succeed(made)),
      (error: unknown) => resume(Effect.fail(error))
    )
  }).pipe(Effect.flatten)

/** Checks the arguments and runs the tool. Fails only by defects, such as those of a handler that is an effect. */
const useTool = <R>(
  tools: ReadonlyMap<string, Prepared<R>>,
  { arguments: input, name }: Requested
): Effect.Effect<Result.Result<unknown, Failure>, never, R> => {
  const tool = tools.get(name)
  if (tool === undefined) return Effect.succeed(Result.fail({ message: "There is no such tool", cause: undefined }))
  return Effect.flatMap(tool.check(input), (checked) => {
    if ("issues" in checked) {
      const message = `The arguments are not valid:\n${issueLines(checked.issues)}`
      return Effect.succeed(Result.fail({ message, cause: checked.issues }))
    }
    return handle(tool.run, checked.value).pipe(
      // The result must be JSON; a handler that returns something else has failed.
      Effect.tap((output) => Effect.try({ try: () => textOfOutput(output), catch: (cause) => cause })),
      Effect.mapError(failure),
      Effect.result
    )
  })
}

/** The tools of one step. */
interface Used {
  readonly uses: ReadonlyArray<ToolUse>
  /** For the model, in the same order. */
  readonly results: ReadonlyArray<ToolResult>
  /** The first one that failed. */
  readonly failed: (Failure & { readonly tool: string }) | undefined
}

/** Runs the tools that the model asked for. */
export const useTools = <R>(
  tools: ReadonlyMap<string, Prepared<R>>,
  requested: ReadonlyArray<Requested>,
  concurrency: number | undefined
): Effect.Effect<Used, never, R> => {
  const use = (one: Requested) => Effect.map(useTool(tools, one), (result) => ({ one, result }))
  return Effect.map(Effect.forEach(requested, use, { concurrency: concurrency ?? "unbounded" }), (used) => ({
    uses: used.map(({ one: { arguments: given, name }, result }) => ({
      name,
      arguments: given,
      ...(Result.isSuccess(result) ? { output: result.success } : { error: result.failure.message })
    })),
    results: used.map(({ one, result }) => ({
      requested: one,
      output: Result.isSuccess(result) ? result.success : result.failure.message,
      isError: Result.isFailure(result)
    })),
    failed: used.flatMap(({ one, result }) =>
      Result.isFailure(result) ? [{ ...result.failure, tool: one.name }] : []
    )[0]
  }))
}
