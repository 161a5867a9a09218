import * as Effect from "effect/Effect"
import type { InputInvalid } from "../../errors/errors.ts"
import { invalid } from "../Model.ts"
import type { Declaration } from "../Protocol.ts"
import { type AnySchema, type Checked, describe, type TypeOf } from "../schema.ts"
import type { AbortSignalLike } from "../../promises/PromiseOptions.ts"

/** What a handler gets besides its arguments. */
export interface ToolContext {
  /** Aborted when the loop is interrupted. For async functions; an effect is interrupted itself. */
  readonly signal: AbortSignalLike
}

interface ToolText {
  readonly name: string
  /** Tells the model what the tool does and when to use it. */
  readonly description?: string
  /** The JSON Schema to send, for a schema whose library does not write one. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>
}

/** A tool that a model may call. `R` is what its handler needs. */
export interface Tool<out R = never> extends ToolText {
  readonly schema: AnySchema
  readonly run: (input: never, context: ToolContext) => Effect.Effect<unknown, unknown, R> | PromiseLike<unknown>
}

type Services<A> = A extends Effect.Effect<unknown, unknown, infer R> ? R : never

/**
 * Makes a tool. `run` gets the validated arguments; its result goes to the model, a string as it is and other values as JSON.
 *
 * @example tool({ name: "weather", schema: Schema.Struct({ city: Schema.String }), run: ({ city }) => lookUp(city) })
 */
export const tool = <S extends AnySchema, A>(
  options: ToolText & {
    readonly schema: S
    /** An effect, an async function, or a plain one. */
    readonly run: (input: TypeOf<S>, context: ToolContext) => A
  }
): Tool<Services<A>> => options as Tool<Services<A>>

/** A tool ready to be declared and used. */
export interface Prepared<R> {
  readonly declaration: Declaration
  readonly check: (value: unknown) => Effect.Effect<Checked>
  readonly run: Tool<R>["run"]
}

/** Fails if a schema cannot be written as JSON Schema, or if two tools have one name. */
export const prepare = Effect.fnUntraced(function* <R>(
  operation: string,
  tools: ReadonlyArray<Tool<R>>
): Effect.fn.Return<ReadonlyMap<string, Prepared<R>>, InputInvalid> {
  const prepared = new Map<string, Prepared<R>>()
  for (const { description, jsonSchema: given, name, run, schema } of tools) {
    const wrong = (why: string) => invalid(operation, `The tool ${name} ${why}`)
    const { check, jsonSchema } = yield* Effect.try({
      try: () => describe(schema, given),
      catch: (cause) => wrong(`has a schema that cannot be written as JSON Schema: ${String(cause)}`)
    })
    if (prepared.has(name)) return yield* wrong("is declared twice")
    if (jsonSchema === undefined) return yield* wrong("has no JSON Schema: pass one as `jsonSchema`")
    const { $schema: _, ...parameters } = jsonSchema
    const declaration = { name, ...(description === undefined ? {} : { description }), parameters }
    prepared.set(name, { declaration, check, run })
  }
  return prepared
})
