import type { Unavailable } from "@tollgate/contract/errors/ApiError"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const SourceState = Schema.fromJsonString(Schema.Struct({ freshness: Schema.String, reason_code: Schema.String }))
export type SourceState = typeof SourceState.Type

const decode = Schema.decodeUnknownOption(SourceState)

/**
 * Reads the state of the data source from the 503 of `salesData`. It says nothing about whether a call was executed or
 * charged.
 */
export const sourceState = ({ body }: Unavailable): Option.Option<SourceState> => decode(body)
