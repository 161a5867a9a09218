import * as Predicate from "effect/Predicate"

const isSet = (metadata: unknown, key: string): boolean =>
  Predicate.hasProperty(metadata, key) && metadata[key] === true

// What a program asks for in `_meta` of a call. Models do not need it, so no tool's schema has it.

/** The result as structured content, instead of text. */
export const asksForStructure = (metadata: unknown): boolean => isSet(metadata, "tollgate/structured")

/** The events of a stream, instead of one answer. */
export const asksForEvents = (metadata: unknown): boolean => isSet(metadata, "tollgate/events")
