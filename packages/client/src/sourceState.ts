import type { Unavailable } from "@tollgate/contract/errors/ApiError"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const SourceState = Schema.fromJsonString(Schema.Struct({ freshness: Schema.String, reason_code: Schema.String }))
export type SourceState = typeof SourceState.Type

const decode = Schema.decodeUnknownOption(SourceState)

/**
 * What the 503 of `salesData` says of its source. It is about the source only, and no evidence that anything was executed or
 * charged.
 */
export const sourceState = ({ body }: Unavailable): Option.Option<SourceState> => decode(body)
