import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { linkStart } from "@tollgate/contract/operations/linkStart"
import * as Schema from "effect/Schema"
import type { CallError } from "../errors.ts"

/**
 * The approval address expired before an approval was seen. A user who declined looks the same. `cause` is the last refusal
 * of the write, if there was one.
 */
export class LinkExpired extends TaggedError<LinkExpired>()("LinkExpired", {
  operation: Schema.String,
  message: Schema.String,
  /** Milliseconds since the epoch. */
  expiresAt: Schema.Finite,
  outcome: Schema.Literal("not executed"),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The approval address is not a web address, or contains the state of another link. It was not opened. */
export class LinkUnusable extends TaggedError<LinkUnusable>()("LinkUnusable", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed")
}) {}

/** The errors of a link, besides those of the program's own `open` and `confirm`. */
export type LinkError = CallError<typeof linkStart> | LinkExpired | LinkUnusable
