import * as Schema from "effect/Schema"
import type { CallError } from "../errors.ts"
import type { contractVersion } from "@tollgate/contract/operations/contractVersion"

/** What a contract is known by: `contentHash` its bytes, `docsRevision` the input that they are made from. */
const Version = Schema.Struct({ contentHash: Schema.String, docsRevision: Schema.String })

const Expected = Schema.Struct({
  contentHash: Schema.optionalKey(Schema.String),
  docsRevision: Schema.optionalKey(Schema.String)
})
export type Expected = typeof Expected.Type

/** The server has another contract than is expected of it: requests and answers may not be what this client takes them for. */
export class ContractMismatch extends Schema.TaggedError<ContractMismatch>()("ContractMismatch", {
  message: Schema.String,
  client: Expected,
  server: Version
}) {}

/**
 * Which contract the server has could not be learned; `cause` says how it failed. `missing`: it answers, and has no such
 * endpoint.
 */
export class ContractUnverified extends Schema.TaggedError<ContractUnverified>()("ContractUnverified", {
  message: Schema.String,
  why: Schema.Literals(["missing", "unavailable"]),
  cause: Schema.Defect()
}) {
  declare readonly cause: CallError<typeof contractVersion>
}
