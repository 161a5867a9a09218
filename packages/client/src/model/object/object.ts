import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { CallOptions } from "../../options/CallOptions.ts"
import type { InputInvalid } from "../../errors/errors.ts"
import { ask, chargeOfError, settingsOf } from "../ask.ts"
import { type EffectModel, invalid, type ModelInput, modelOf, onClientOf, type PromiseModel } from "../Model.ts"
import type { Answer } from "../Protocol.ts"
import { type AnySchema, type Issue, issueLines, type TypeOf } from "../schema.ts"
import * as Spending from "../spending.ts"
import type { Abortable } from "../../promises/PromiseOptions.ts"
import { readInput } from "../../call/request.ts"
import type { Settings } from "../../options/settings.ts"
import type { Event } from "../../events/Event.ts"
import { formatOf } from "./format.ts"
import { TaggedError } from "@tollgate/contract/errors/TaggedError"

/**
 * The model gave no value of the schema. `reason`: the answer does not match, also after the repair; the model refused; the
 * answer was cut off by its length; or it has no text. It ran: `charge` is what all calls have cost together.
 */
export class ObjectInvalid extends TaggedError("ObjectInvalid")<{
  readonly operation: string
  readonly message: string
  readonly reason: "mismatch" | "refusal" | "length" | "empty"
  /** The last answer. */
  readonly text: string
  readonly issues: ReadonlyArray<Issue>
  readonly outcome: "executed"
  readonly charge: Charge
  /** Why there was no repair, if the call for it failed. */
  readonly cause?: unknown
}> {}

/** The options of a call. `maxPrice` limits the call and its repair together. */
export interface ObjectOptions extends CallOptions {
  /** What the model is told that the value is called. Letters, digits, `_` and `-`. */
  readonly name?: string
  /** The JSON Schema to send, for a schema whose library does not write one. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>
  /** `false`: an answer that does not match is an error at once. */
  readonly repair?: boolean
}

/** A value of the schema, and what all calls for it have cost. */
export interface ObjectResult<A> {
  readonly value: A
  readonly charge: Charge
}

interface Invalid {
  readonly reason: ObjectInvalid["reason"]
  readonly message: string
  readonly text: string
  readonly issues: ReadonlyArray<Issue>
}

const flawOf = ({ finish, text }: Answer): Invalid | undefined => {
  if (finish === "refusal") return { reason: "refusal", message: "The model refused to answer", text, issues: [] }
  if (finish === "length") {
    return { reason: "length", message: "The answer was cut off by its length", text, issues: [] }
  }
  return text.trim() === "" ? { reason: "empty", message: "The answer has no text", text, issues: [] } : undefined
}

const mismatch = (text: string, issues: ReadonlyArray<Issue>): Invalid => ({
  reason: "mismatch",
  message: `The answer does not match the schema: ${issueLines(issues)}`,
  text,
  issues
})

const repairOf = (issues: ReadonlyArray<Issue>): string =>
  `This does not match the schema:\n${issueLines(issues)}\nAnswer again with the whole corrected JSON and nothing else.`

const request = Effect.fnUntraced(function* (
  model: Parameters<typeof ask>[0],
  schema: AnySchema,
  input: Event,
  { jsonSchema, name, repair = true, ...own }: ObjectOptions
) {
  const { operation, protocol } = yield* modelOf(model)
  const format = yield* formatOf(operation.id, protocol, schema, {
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    ...(name === undefined ? {} : { name })
  })
  const settings = yield* settingsOf(own)
  const begun = Spending.begin(settings.maxPrice)
  if (begun === undefined) return yield* invalid(operation.id, "`maxPrice` is a decimal amount of USD")

  const attempt = Effect.fnUntraced(function* (input: Event, before: Spending.Spending, settings: Settings) {
    const { answer, spending } = yield* ask(model, input, before, settings)
    const read = protocol.read(answer)
    const flaw = flawOf(read)
    const checked = flaw === undefined ? yield* format.read(read.text) : undefined
    return checked !== undefined && "value" in checked
      ? { spending, value: checked.value }
      : { spending, answer, flaw: flaw ?? mismatch(read.text, checked?.issues ?? []) }
  })
  const fail = ({ total }: Spending.Spending, flaw: Invalid, cause?: unknown) =>
    new ObjectInvalid({
      operation: operation.id,
      outcome: "executed",
      ...flaw,
      charge: total,
      ...(cause === undefined ? {} : { cause })
    })

  const asked = yield* readInput(operation.id, () => Effect.succeed(protocol.withFormat(input, format.format)))
  const first = yield* attempt(asked, begun, settings)
  if (first.flaw === undefined) return { value: first.value, charge: first.spending.total }
  if (!repair || first.flaw.reason !== "mismatch" || first.spending.left === 0n) {
    return yield* fail(first.spending, first.flaw)
  }
  const { idempotencyKey } = settings
  const second = yield* attempt(protocol.withReply(asked, first.answer, repairOf(first.flaw.issues)), first.spending, {
    ...settings,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey: `${idempotencyKey}.repair` })
  }).pipe(
    // What was paid for the first answer must be told, so its failure goes into the error.
    Effect.mapError((error) => fail(Spending.add(first.spending, chargeOfError(error)), first.flaw, error))
  )
  return second.flaw === undefined
    ? { value: second.value, charge: second.spending.total }
    : yield* fail(second.spending, second.flaw)
})

/**
 * Asks a model for a value of a schema, and validates it. An answer that does not match goes back to the model once, with what
 * is wrong. Fails with `ObjectInvalid` if there is no such value; it says what was paid.
 *
 * @example object(chatCompletions, Schema.Struct({ city: Schema.String }), { model, messages }, { maxPrice: "0.01" })
 */
export function object<I extends ModelInput, E, R, S extends AnySchema>(
  model: EffectModel<I, unknown, E, R>,
  schema: S,
  input: NoInfer<I>,
  options?: ObjectOptions
): Effect.Effect<ObjectResult<TypeOf<S>>, E | ObjectInvalid | InputInvalid, R>
/** With a function of a promise client: `object(client.chatCompletions, schema, { model, messages })`. */
export function object<I extends ModelInput, S extends AnySchema>(
  model: PromiseModel<I, unknown>,
  schema: S,
  input: NoInfer<I>,
  options?: ObjectOptions & Abortable
): Promise<ObjectResult<TypeOf<S>>>
export function object(
  model: unknown,
  schema: AnySchema,
  input: unknown,
  { signal, ...options }: ObjectOptions & Abortable = {}
): unknown {
  return onClientOf(model, signal, (own) => request(own as never, schema, input as Event, options))
}
