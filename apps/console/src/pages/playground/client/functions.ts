import { type CallOptions, type Client, call } from "@tollgate/client"
import * as operations from "@tollgate/client/operations"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type Operation, parts } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { customOperation } from "./customOperation.ts"
import { AnyQuery } from "@tollgate/contract/QueryStyle"
import type { Arguments } from "../json.ts"

/** A function of the client whose input comes from a form, so that only the client checks it. */
export type AnyCall = (input: never, options?: CallOptions) => Effect.Effect<unknown, unknown, Client>
export type AnyStream = (input: never, options?: CallOptions) => Stream.Stream<object, unknown, Client>

export interface Functions {
  readonly operation: Operation
  readonly call: AnyCall
  /** There if the operation can stream its answer. */
  readonly stream: AnyStream | undefined
  /** There is no function that returns the whole answer: `call` is for quotes alone. */
  readonly streamsOnly: boolean
  /** One of the operator's own operations, which the client does not know. */
  readonly isOwn: boolean
}

const calls = new Map<string, AnyCall & { readonly operation: Operation }>()
const streams = new Map<string, AnyStream & { readonly streamed: Operation }>()
for (const f of Object.values(operations) as ReadonlyArray<object>) {
  if ("operation" in f) {
    const made = f as AnyCall & { readonly operation: Operation }
    calls.set(made.operation.id, made)
  }
  if ("streamed" in f) {
    const made = f as AnyStream & { readonly streamed: Operation }
    streams.set(made.streamed.id, made)
  }
}

const find = (offered: OfferedOperation): Functions => {
  const whole = calls.get(offered.template)
  const stream = streams.get(offered.template)
  const known = whole?.operation ?? stream?.streamed
  const operation = known ?? customOperation(offered)
  return {
    operation,
    call: whole ?? call(operation),
    stream,
    streamsOnly: whole === undefined && stream !== undefined,
    isOwn: known === undefined
  }
}

/** Whether a call with this choice is streamed. */
export const isStreamed = ({ stream, streamsOnly }: Functions, chosen: boolean): boolean =>
  streamsOnly || (stream !== undefined && chosen)

const found = new WeakMap<OfferedOperation, Functions>()

/** The client's functions for an operation. One of the operator's own gets a function made from what is offered. */
export const functionsOf = (offered: OfferedOperation): Functions => {
  const known = found.get(offered) ?? find(offered)
  found.set(offered, known)
  return known
}

type Part = (typeof parts)[number]

/** Whether all parameters of the query are texts to the client. */
const hasTextsOnly = ({ request }: Operation): boolean => request.query === AnyQuery

const hasParameters = ({ pending }: Operation): boolean => pending.some(({ open }) => open === "parameter")

/** A query has texts only. What the operation names itself is encoded by its schema. */
const textOf = (value: unknown): unknown =>
  value === null || typeof value === "object" ? JSON.stringify(value) : String(value)

const isText = (part: Part, isNamed: boolean, operation: Operation): boolean => {
  if (part === "query") return !isNamed || hasParameters(operation) || hasTextsOnly(operation)
  return part === "header" || part === "path"
}

/**
 * The input of the client's function from the arguments of the form, which are all in one object. This is the one place where
 * data of a form takes the place of a typed input; the client checks it before it sends anything.
 */
export const inputOf = (offered: OfferedOperation, operation: Operation, given: Arguments): never => {
  const present = parts.filter((part) => operation.request[part] !== undefined)
  const rest: Part = operation.request.body === undefined ? "query" : "body"
  const split: Record<Part, object> = { path: {}, query: {}, header: {}, body: {} }
  for (const [name, value] of Object.entries(given)) {
    const named = Object.hasOwn(offered.parts, name) ? offered.parts[name] : undefined
    const part = named ?? rest
    const asText = isText(part, named !== undefined, operation)
    Object.defineProperty(split[part], name, { value: asText ? textOf(value) : value, enumerable: true })
  }
  const { body_argument: whole } = offered
  const partOf = (part: Part): unknown => (part === "body" && whole !== undefined ? given[whole] : split[part])
  const [only] = present
  const input =
    present.length > 1
      ? Object.fromEntries(present.map((part) => [part, partOf(part)]))
      : only === undefined
        ? undefined
        : partOf(only)
  return input as never
}

/** Waits until nobody has typed for a moment: `useLoad` interrupts it when there is another effect. */
export const pauseInTyping = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.delay(effect, "350 millis")
