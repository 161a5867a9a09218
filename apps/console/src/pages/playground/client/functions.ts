import { call, type CallOptions, type Client } from "@tollgate/client"
import * as operations from "@tollgate/client/operations"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import type { Operation } from "@tollgate/contract/Operation"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { ownOperation } from "./ownOperation.ts"

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
  const operation = known ?? ownOperation(offered)
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
