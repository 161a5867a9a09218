import type { CallError } from "../../errors/errors.ts"
import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { contractVersion } from "@tollgate/contract/operations/contractVersion"

/** Identifies a contract: `contentHash` hashes its bytes, `docsRevision` the operations it is made from. */
interface Version {
  readonly contentHash: string
  readonly docsRevision: string
}

export interface Expected extends Partial<Version> {}

/** The server's contract differs from the expected one, so requests and answers may differ too. */
export class ContractMismatch extends TaggedError("ContractMismatch")<{
  readonly message: string
  readonly client: Expected
  readonly server: Version
}> {}

/**
 * The server's contract could not be read, because of `cause`. `missing`: the server answers but has no such endpoint.
 */
export class ContractUnverified extends TaggedError("ContractUnverified")<{
  readonly message: string
  readonly why: "missing" | "unavailable"
  readonly cause: CallError<typeof contractVersion>
}> {}
