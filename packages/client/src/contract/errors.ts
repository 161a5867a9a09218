import * as Schema from "effect/Schema"
import type { CallError } from "../errors.ts"
import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { contractVersion } from "@tollgate/contract/operations/contractVersion"

/** Identifies a contract: `contentHash` hashes its bytes, `docsRevision` the operations it is made from. */
const Version = Schema.Struct({ contentHash: Schema.String, docsRevision: Schema.String })

const Expected = Schema.Struct({
  contentHash: Schema.optionalKey(Schema.String),
  docsRevision: Schema.optionalKey(Schema.String)
})
export type Expected = typeof Expected.Type

/** The server's contract differs from the expected one, so requests and answers may differ too. */
export class ContractMismatch extends TaggedError<ContractMismatch>()("ContractMismatch", {
  message: Schema.String,
  client: Expected,
  server: Version
}) {}

/**
 * The server's contract could not be read, because of `cause`. `missing`: the server answers but has no such endpoint.
 */
export class ContractUnverified extends TaggedError<ContractUnverified>()("ContractUnverified", {
  message: Schema.String,
  why: Schema.Literals(["missing", "unavailable"]),
  cause: Schema.Defect()
}) {
  declare readonly cause: CallError<typeof contractVersion>
}
