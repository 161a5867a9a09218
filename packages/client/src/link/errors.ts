import type { linkStart } from "@tollgate/contract/operations/linkStart"
import * as Schema from "effect/Schema"
import type { CallError } from "../errors.ts"

/**
 * The address was good for no longer, and nobody is known to have approved. A user who declined looks the same from here.
 * `cause` is the last refusal of the write, where there was one.
 */
export class LinkExpired extends Schema.TaggedError<LinkExpired>()("LinkExpired", {
  operation: Schema.String,
  message: Schema.String,
  /** Milliseconds since the epoch. */
  expiresAt: Schema.Finite,
  outcome: Schema.Literal("not executed"),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The address is none to send a user to: no web address, or one that bears the state of another link. It was not opened. */
export class LinkUnusable extends Schema.TaggedError<LinkUnusable>()("LinkUnusable", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed")
}) {}

/** What can go wrong with a link, besides what the program's own `open` and `confirm` fail with. */
export type LinkError = CallError<typeof linkStart> | LinkExpired | LinkUnusable
