import * as Predicate from "effect/Predicate"

/** One event, in the protocol's own shape. Its fields are not typed. */
export type Event = Readonly<Record<string, unknown>>

export const object = (value: unknown): Event => (Predicate.isObject(value) ? (value as Event) : {})

export const list = (value: unknown): ReadonlyArray<Event> => (Array.isArray(value) ? value.map(object) : [])

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
